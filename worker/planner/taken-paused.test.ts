import { beforeEach, expect, test } from 'vitest'
import { heldWords } from '@/components/updates/held-words'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK, SEEN_STORED } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { annotations, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { ada, cy, person, timedCluster } from '@/testenv/timed'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

useTestDatabase()
const { at, view, running } = timedCluster()
const oda = person('oda', 'operator')

/** As of an API server that serves no ValidatingAdmissionPolicy. */
async function look(held: Held) {
  const context = await planningContext(at.clusterId)
  const latch = { ...context.view.capabilities.latch, guard: false }
  const unguarded = { ...context.view, capabilities: { ...context.view.capabilities, latch } }
  return planGroup({ ...context, view: unguarded }, { ...(await held.read()), kind: held.kind })
}
const writes = async (held: Held, annotations: Record<string, string | null>) =>
  (await view()).client.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } })
const again = (held: Held) =>
  db().auditEvent.findFirstOrThrow({
    where: { targetId: held.change.id, action: 'change.held-again', result: 'ok' },
    orderBy: { id: 'desc' },
  })

let held: Held
beforeEach(async () => {
  held = await running()
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'webhook' } })
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  await pauseChange(oda, { changeId: held.change.id, reason: 'disk alarms' })
  await holdToTimes(await view())
  await look(held)
})
const ODA = 'Stopped by Drydock: not now: paused by Oda (disk alarms)'

test('what somebody had let go, and somebody paused, is held again as paused by them', async () => {
  await writes(held, { [PAUSED]: null, [HELD]: null })
  await look(held)
  expect((await annotations(held))[HELD]).toBe(ODA)
  expect((await again(held)).reason).toMatch(
    /^Its hold .* \(.*\), although it is not its time: paused by Oda \(disk alarms\)\.$/,
  )
  await look(held)
  await db().group.update({ where: { id: held.change.groupId }, data: { held: ODA } })
  expect(heldWords(await getUpdate(ada, held.change.id))).toMatch(
    /^Drydock holds it again after it had been let go: paused by Oda \(disk alarms\)\./,
  )
})

test('it is held again also while a policy of anybody cannot be read', async () => {
  const { id } = await savePolicy(cy, { name: 'p', spec: { select: { names: ['something-else'] } } })
  await db().rolloutPolicy.update({ where: { id }, data: { spec: 'x' } })
  await writes(held, { [PAUSED]: null, [HELD]: null })
  await look(held)
  expect((await annotations(held))[HELD]).toBe(ODA)
  await db().rolloutPolicy.deleteMany()
})

test('held again by the watch first, it says so all the same', async () => {
  await writes(held, { [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: SEEN_STORED })
  await look(held)
  expect((await annotations(held))[HELD]).toBe(ODA)
})

test('let go before, and waiting for people since: nobody let it go anew', async () => {
  await db().change.update({
    where: { id: held.change.id },
    data: { pausedAt: null, pausedBy: null, pausedReason: null, dueMode: null },
  })
  await writes(held, { [PAUSED]: null, [HELD]: null })
  await look(held)
  expect((await annotations(held))[HELD]).toContain('its hold was taken away, and nobody let it go anew')
  expect((await again(held)).reason).toMatch(/\(.*\), and nobody let it go anew\.$/)
  // And once more, approved anew meanwhile: it goes.
  await look(held)
  expect(await approveChange(ada, inputFor(held))).toMatchObject({ error: null })
})
