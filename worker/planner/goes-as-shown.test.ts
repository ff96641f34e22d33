import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { PolicySpec } from '@/lib/domain/policies'
import { approveChange } from '@/lib/services/changes/approve-change'
import { importPolicies } from '@/lib/services/policies/import-policies'
import { previewImport } from '@/lib/services/policies/preview-import'
import { previewPolicy } from '@/lib/services/policies/preview-policy'
import { previewRemoval } from '@/lib/services/policies/preview-removal'
import { removePolicy } from '@/lib/services/policies/remove-policy'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { policiesYaml } from '@/lib/services/policies/yaml'
import { failure, inputFor, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ada, cy, FROZEN, says, timedCluster } from '@/testenv/timed'
import { admit } from './admit'
import { goInTime } from './times'

useTestDatabase()
const { at, view } = timedCluster()

const itself: Omit<PolicySpec, 'select'> = { approvals: 0, strategy: 'replace' }
const forBoth = (...held: Held[]) => ({
  name: 'both',
  spec: { ...itself, select: { names: held.map(({ name }) => name) } },
})
type Wish = ReturnType<typeof forBoth>
const goesBy = async (wish: Wish) => (await previewPolicy(cy, wish)).atOnce!.goes
const becomes = (held: Held, data: Prisma.ChangeUpdateInput) =>
  db().change.update({ where: { id: held.change.id }, data })

test('nothing else goes than was shown: neither by what is saved nor by what is taken away', async () => {
  const [held, other] = [await at.held(), await at.held()]
  const both = forBoth(held, other)
  const one = (await goesBy(forBoth(held))).digest
  const refused = await failure(savePolicy(cy, { ...both, goes: one }))
  expect(refused.code).toBe('conflict')
  expect(refused.message).toBe('By now 2 changes go at once by it, and not as you were shown. Nothing was saved.')
  const text = policiesYaml([both])
  expect((await failure(importPolicies(cy, { text, goes: one }))).message).toBe(refused.message)
  const spec = { approvals: 2, select: both.spec.select }
  const nothing = (await goesBy({ name: 'asks', spec } as Wish)).digest
  const asks = await savePolicy(cy, { name: 'asks', spec, goes: nothing })
  await savePolicy(cy, { name: 'wide', spec: { ...itself, select: { namespaces: [held.change.namespace] } } })
  const removed = { policyId: asks.id, version: asks.version }
  const { message } = await failure(removePolicy(cy, { ...removed, goes: nothing }))
  expect(message).toMatch(/^By now 1 change goes at once/)
  const { digest } = (await previewRemoval(cy, removed)).goes
  expect((await failure(removePolicy(cy, { ...removed, goes: 1 }))).code).toBe('invalid')
  await removePolicy(cy, { ...removed, goes: digest })
  await importPolicies(cy, { text, goes: (await previewImport(cy, { text })).atOnce.goes.digest })
})

test('as many as were shown, but others, or otherwise, are not what was shown; where nothing is left to go it is saved', async () => {
  const [a, b] = [await at.held(), await at.held()]
  const both = forBoth(a, b)
  await becomes(b, { state: 'reverted' })
  const { digest: goes, first } = await goesBy(both)
  expect(first.map(({ id }) => id)).toEqual([a.change.id])
  const said = 'By now 1 change goes at once by it, and not as you were shown. Nothing was saved.'
  await becomes(a, { state: 'superseded' })
  await becomes(b, { state: 'waiting' })
  expect((await failure(savePolicy(cy, { ...both, goes }))).message).toBe(said)
  // The same one, with other machines by now.
  await becomes(b, { state: 'reverted' })
  await becomes(a, { state: 'waiting' })
  const { outlook } = await db().change.findUniqueOrThrow({ where: { id: a.change.id } })
  const { replace } = outlook as { replace: { counts: object } }
  await becomes(a, { outlook: { ...(outlook as object), replace: { ...replace, counts: { replace: 7 } } } })
  expect((await failure(savePolicy(cy, { ...both, goes }))).message).toBe(said)
  await becomes(a, { state: 'reverted' })
  await savePolicy(cy, { ...both, goes })
})

test('of two who write in the same moment, each of whom was shown that nothing goes, one looks again', async () => {
  const held = await at.held()
  const asks = await savePolicy(cy, { name: 'asks', spec: { approvals: 2, select: { names: [held.name] } } })
  const select = { namespaces: [held.change.namespace] }
  const [wide, text] = [
    { name: 'wide', spec: { ...itself, select } },
    policiesYaml([{ name: 'text', spec: { ...itself, select } }]),
  ]
  const goes = (await previewRemoval(cy, { policyId: asks.id })).goes.digest
  // All have looked when the first may write.
  const both = await db().$transaction(async (tx) => {
    await tx.$executeRaw`LOCK TABLE rollout_policy IN SHARE ROW EXCLUSIVE MODE`
    const writing = Promise.allSettled([
      savePolicy(cy, { ...wide, goes }),
      importPolicies(cy, { text, goes }),
      removePolicy(cy, { policyId: asks.id, version: asks.version, goes }),
    ])
    await waiting(3)
    return { writing }
  })
  const done = await both.writing
  const refused = done.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
  expect(refused.map(({ message }) => message)).toEqual(
    Array(2).fill('Somebody changed policies meanwhile. Nothing was saved.'),
  )
  await admit(await view(), held.change.groupId)
  expect(await stateOf(held)).toBe('waiting')
})

test('while a policy cannot be read nothing goes; what does once it is taken out, or written anew, is said', async () => {
  const held = await at.held()
  const freeze = await says(held, FROZEN)
  await approveChange(ada, inputFor(held))
  const other = { name: 'other', spec: { select: { names: ['nothing-here'] }, approvals: 2 } }
  const { id: policyId, version } = await savePolicy(cy, other)
  await db().$executeRaw`UPDATE rollout_policy SET spec = '{"other": true}' WHERE id = ${policyId}::uuid`
  // The freeze is over.
  await db().rolloutPolicy.delete({ where: { id: freeze.id } })
  await goInTime(await view())
  expect(await stateOf(held)).toBe('waiting')
  const { goes } = await previewRemoval(cy, { policyId })
  expect(goes).toMatchObject({ changes: 1, replaced: 1, first: [{ id: held.change.id }] })
  expect(await goesBy({ ...other, policyId } as Wish)).toEqual(goes)
  const { atOnce } = await previewImport(cy, { text: policiesYaml([other]) })
  expect(atOnce.goes).toEqual(goes)
  await removePolicy(cy, { policyId, version, goes: goes.digest })
  await goInTime(await view())
  expect(await stateOf(held)).toBe('approved')
})

/** Until so many wait to write policies. */
async function waiting(n: number): Promise<void> {
  await expect
    .poll(async () => {
      const rows = await db().$queryRaw<{ n: number }[]>`SELECT count(*)::int AS n FROM pg_locks
        WHERE NOT granted AND relation = 'rollout_policy'::regclass`
      return rows[0]?.n
    })
    .toBe(n)
}
