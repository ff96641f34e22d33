import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { applyAction } from '../openshift/apply-action'
import { gateKind } from '../openshift/kinds/gate'
import { acknowledgeGate } from './acknowledge-gate'
import { previewGate } from './preview-gate'
import { ACKS, as, SOMEBODY, upgradeableWorld } from './suites/world'

useTestDatabase()
const operator = as('operator')
const gate = 'ack-4.22-api-removals-in-4.23'

test('an acknowledgement that never arrived is not taken for stored where somebody else gives it', async () => {
  const world = await upgradeableWorld('lost', { release: '4.22.4' })
  await world.until('both reasons', (f) => f.blockers.length === 2 && f.blockers.every((b) => b.said === 'both'))
  const { clusterId, server } = world
  const { resourceVersion, text } = await previewGate(operator, { clusterId, gate })
  const still = gateKind.still!
  gateKind.still = async (...of) => {
    const outlived = await still(...of)
    server.faults.fail(503)
    return outlived
  }
  const { id, state } = await acknowledgeGate(operator, { clusterId, gate, text, resourceVersion, reason: 'Checked.' })
  server.faults.fail(0)
  gateKind.still = still
  expect(state).toBe('failed')
  for (const name of [gate, 'other']) server.store.merge('configmaps', ACKS, { data: { [name]: 'true' } }, SOMEBODY)
  await applyAction(id, 'applier')
  const row = await db().openShiftAction.findUniqueOrThrow({ where: { id } })
  expect(row).toMatchObject({ state: 'failed', claimedUntil: null })
  await world.stop()
})
