import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { changeSetOf } from '@/lib/services/changes/change-row'
import type { Held } from '@/testenv/held'
import { lifted, row, says, timedCluster } from '@/testenv/timed'

useTestDatabase()
const { at, look } = timedCluster()

/** A machine of what is to be updated, and what is said of it as its group is looked at. */
async function machineOf(held: Held) {
  await look(held)
  const [pair] = changeSetOf(await row(held)).pairs
  const { id } = await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId: at.clusterId, provider: 'cluster.x-k8s.io', namespace: held.namespace },
      ...{ workloadCluster: held.change.workloadCluster, name: `m-${held.name}`, groupKind: 'MachineDeployment' },
      ...{ groupName: held.name, machineSet: pair!.from, sentence: '', phase: 'Running', state: 'ready' },
      ...{ resourceVersion: '1', createdAt: new Date(0) },
    },
  })
  return async () => {
    await look(held)
    const { verdict, verdictReason } = await db().machine.findUniqueOrThrow({ where: { id } })
    return [verdict, verdictReason]
  }
}

test('a machine that no approval could move is blocked on every page, and by which policy', async () => {
  const held = await at.held()
  const said = await machineOf(held)
  expect(await said()).toEqual(['replace', expect.any(String)])
  const { name } = await says(held, { strategy: 'in-place-only' })
  expect(await said()).toEqual(['blocked', expect.stringContaining(`The policy ${name} allows in place only`)])
  await lifted()
  expect(await said()).toEqual(['replace', expect.any(String)])
})
