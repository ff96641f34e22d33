import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { annotations, as, inputFor, latchedCluster } from '@/testenv/deciding'
import { savePolicy } from '../policies/save-policy'
import { approveChange } from './approve-change'

/** What happens while the cluster is asked how many machines would be deleted. */
const meanwhile = vi.hoisted(() => ({ run: async (): Promise<unknown> => undefined }))
vi.mock('./deletions-by-now', async (original) => {
  const real = await original<typeof import('./deletions-by-now')>()
  return {
    deletionsByNow: async (...asked: Parameters<typeof real.deletionsByNow>) => {
      const deletions = await real.deletionsByNow(...asked)
      await meanwhile.run()
      return deletions
    },
  }
})
useTestDatabase()
const at = latchedCluster()

const person = () =>
  db().user.create({
    data: { id: crypto.randomUUID(), name: 'Eve', email: `${crypto.randomUUID()}@example.com`, role: 'approver' },
  })

test.each([
  ['asks for two approvals', { approvals: 2 }],
  ['lets nothing be replaced', { strategy: 'in-place-only' }],
])('nothing goes by a policy that %s since its machines began to be counted', async (_what, rules) => {
  const held = await at.held('KubeadmControlPlane')
  const spec = { select: { names: [held.name] }, ...rules }
  meanwhile.run = () => savePolicy(as('admin', 'Root'), { name: `p-${held.name}`, spec })
  const decision = await approveChange(as('approver'), { ...inputFor(held), typedName: held.name, deletions: 1 })
  expect(decision).toMatchObject({ state: 'voided', error: expect.stringContaining('Nothing was released.') as string })
  expect((await annotations(held))[HELD]).toBeDefined()
})

test('nor by whoever may not approve any more', async () => {
  const held = await at.held('KubeadmControlPlane')
  const { id, name } = await person()
  meanwhile.run = () => db().user.update({ where: { id }, data: { disabledAt: new Date() } })
  const eve = { actor: { kind: 'user' as const, id, name, role: 'approver' as const } }
  const decision = await approveChange(eve, { ...inputFor(held), typedName: held.name, deletions: 1 })
  expect(decision.error).toBe(
    '0 of the 1 approvals that the policy asks for count by now: approve it again. Nothing was released.',
  )
  expect((await annotations(held))[HELD]).toBeDefined()
})
