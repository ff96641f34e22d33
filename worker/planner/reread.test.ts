import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeError } from '@/lib/kubernetes/types'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { as, latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { SOON_MS } from './common'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()

const forbidden = () => Promise.reject(new KubeError(403, { message: 'x is forbidden' } as never, 'GET x'))

let lookedAgainAfter: number | null = null
async function look(held: Held, readable: boolean) {
  const context = await planningContext(at.clusterId)
  const source = readable ? context.source : { ...context.source, template: forbidden }
  const again = await planGroup({ ...context, source }, { ...(await held.read()), kind: held.kind })
  lookedAgainAfter = again
  return db().change.findMany({ where: { groupId: held.change.groupId }, orderBy: { detectedAt: 'asc' } })
}

/** Held, and never seen while its templates could be read. */
async function unread() {
  const held = await at.held()
  await db().change.deleteMany({ where: { groupId: held.change.groupId } })
  const [change, ...more] = await look(held, false)
  expect(more).toEqual([])
  expect(changeSetOf(change!).pairs[0]).toMatchObject({ unread: expect.stringContaining('x is forbidden') as string })
  expect(change!.summary).toMatch(/may not be read$/)
  return { held, change: change! }
}

test('what can be read at last is the change that it was, and no new one that somebody wrote just then', async () => {
  const { held, change } = await unread()
  // For as long as it cannot be read, nothing is written and looked at again and again.
  await look(held, false)
  await look(held, false)
  expect(lookedAgainAfter).toBeGreaterThan(SOON_MS)
  await look(held, true)
  const [now, ...more] = await look(held, true)
  expect(more).toEqual([])
  expect(now).toMatchObject({ id: change.id, state: 'waiting', detectedAt: change.detectedAt })
  expect(changeSetOf(now!).pairs[0]).not.toHaveProperty('unread')
  expect(now!.summary).not.toContain('may not be read')
  expect(now!.fingerprint).not.toBe(change.fingerprint)
})

test('who rejected it meanwhile has rejected it', async () => {
  const { held, change } = await unread()
  // Also where it could be read in the very moment of the rejection.
  await rejectChange(as('approver'), { changeId: change.id, fingerprint: change.fingerprint, reason: 'not now' })
  await look(held, true)
  const [now, ...more] = await look(held, true)
  expect(more).toEqual([])
  expect(now).toMatchObject({ id: change.id, state: 'rejected' })
  const decisions = await db().decision.findMany({ where: { changeId: change.id } })
  expect(decisions).toMatchObject([{ mode: 'reject', fingerprint: now!.fingerprint }])
  expect(decisions[0]!.state).not.toBe('voided')
})
