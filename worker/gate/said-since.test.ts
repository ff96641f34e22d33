import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import recorded from '@/lib/domain/changes/testing/recorded.json'
import type { JsonObject } from '@/lib/domain/json'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { as, failure } from '@/testenv/deciding'
import { answerCanUpdate, fingerprintOfQuestion } from './answer-can-update'

/** What happens while the gate waits for etcd. */
const meanwhile = vi.hoisted(() => ({ run: async (): Promise<unknown> => undefined }))
vi.mock('./etcd', () => ({ requireSpare: () => meanwhile.run() }))
useTestDatabase()

const question = recorded.machineHeld.request as unknown as JsonObject
const kind = 'KubeadmControlPlane'

/** A control plane that was let go replacing, and is asked about. */
async function letGo() {
  const [id, groupId] = [randomUUID(), randomUUID()]
  const {
    labels,
    namespace,
    name: machine,
  } = valueAt(question, 'desired', 'machine', 'metadata') as {
    labels: Record<string, string>
    namespace: string
    name: string
  }
  const name = labels['cluster.x-k8s.io/control-plane-name']!
  await db().managementCluster.create({ data: { id, name: id, server: 'https://127.0.0.1:1', state: 'connected' } })
  const common = {
    ...{ clusterId: id, namespace, resourceVersion: '1' },
    workloadCluster: labels['cluster.x-k8s.io/cluster-name']!,
  }
  const apiVersion = 'controlplane.cluster.x-k8s.io/v1beta2'
  await db().group.create({ data: { ...common, id: groupId, kind, apiVersion, name, createdAt: new Date() } })
  const fingerprint = fingerprintOfQuestion({ uid: groupId, namespace, name, kind }, 'CanUpdateMachine', question)
  const changeSet = { pairs: [{ from: machine, machines: 1, fingerprint, changes: [] }], fields: [] }
  const about = { groupId, groupKind: kind, groupName: name, fingerprint, changeSet, outlook: {}, heldBy: 'latch' }
  const { id: changeId } = await db().change.create({
    data: { ...common, ...about, state: 'running', summary: 's', machines: 3 },
  })
  const at = new Date()
  const ada = { changeId, fingerprint, mode: 'replace', actorId: 'ada', actorName: 'Ada' }
  const { id: decisionId } = await db().decision.create({
    data: { ...ada, state: 'accepted', sentAt: at, acceptedAt: at },
  })
  await db().approval.create({ data: { ...ada, decisionId, at } })
  return { changeId, asks: () => answerCanUpdate(id, 'CanUpdateMachine', question) }
}

test('what is said while the gate waits for etcd is heard before it answers', async () => {
  const { asks } = await letGo()
  expect((await asks()).record).toMatchObject({ answer: 'replace', message: 'approved replacing' })
})

test.each([
  ['taken back', (changeId: string) => withdrawApproval(as('approver', 'Ada'), { changeId })],
  ['paused', (changeId: string) => pauseChange(as('operator', 'Bo'), { changeId })],
  ['stopped', (id: string) => db().change.update({ where: { id }, data: { stoppedAt: new Date(), stoppedBy: 'p' } })],
  [
    'one machine at a time',
    (id: string) => db().change.update({ where: { id }, data: { steps: 1, stepWaitsAt: new Date() } }),
  ],
])('so where it is %s meanwhile', async (_what, say) => {
  const { changeId, asks } = await letGo()
  meanwhile.run = () => say(changeId)
  expect((await failure(asks())).name).toBe('Hold')
})
