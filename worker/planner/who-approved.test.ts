import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { inputFor } from '@/testenv/deciding'
import { ada, bo, row, says, timedCluster } from '@/testenv/timed'

useTestDatabase()
const { at, look, slow } = timedCluster()

test('what several people approved replacing is told of its machines with all their names', async () => {
  const held = await slow()
  await look(held)
  const { namespace, name: groupName, kind: groupKind } = held
  const [pair] = changeSetOf(await row(held)).pairs
  const of = { clusterId: at.clusterId, namespace, groupName, groupKind, workloadCluster: held.change.workloadCluster }
  const is = { provider: 'cluster.x-k8s.io', phase: 'Running', state: 'ready', sentence: '', resourceVersion: '1' }
  const machine = { ...of, ...is, id: randomUUID(), name: 'm', machineSet: pair!.from, createdAt: new Date(0) }
  await db().machine.create({ data: machine })
  await says(held, { approvals: 2 })
  await approveChange(bo, inputFor(held))
  await approveChange(ada, inputFor(held))
  await look(held)
  const { verdictReason } = await db().machine.findUniqueOrThrow({ where: { id: machine.id } })
  expect(verdictReason).toMatch(/^Approved replacing by (Bo and Ada|Ada and Bo)\.$/)
})
