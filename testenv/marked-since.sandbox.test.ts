import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { approveChange } from '@/lib/services/changes/approve-change'
import { outlookIn } from '@/lib/services/changes/change-row'
import { retryDecision } from '@/lib/services/changes/retry-decision'
import { KubeError } from '@/lib/kubernetes/types'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { gatedSandbox } from './gated-sandbox'
import { until } from './process'
import { ctx, isControlPlane, type Governing } from './suites/governing'
import { FROZEN } from './timed'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const KCP = { group: 'controlplane.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmcontrolplanes' }
const MACHINES = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' }
const at = gatedSandbox()

type Workload = Awaited<ReturnType<Governing['workload']>>

/** A control plane of three that waits; approved in place, a spare comes and one goes. */
async function waiting(name: string, frozen = false) {
  const w = await at.g.workload(name, { controlPlane: { replicas: 3 } })
  await at.g.known(w)
  const cp = w.controlPlane
  if (frozen) await savePolicy(ctx, { name: 'frozen', spec: { select: { names: [cp] }, ...FROZEN } })
  await at.g.changeControlPlane(w, 'v1.34.1')
  const change = await at.g.approvable(w, cp, 'in-place')
  expect(outlookIn(change).inPlace).toMatchObject({ deleted: 1, spare: 1 })
  const { id: changeId, fingerprint } = change
  const wish = { changeId, fingerprint, mode: 'in-place' as const, typedName: cp, replicas: 3 }
  return { w, cp, changeId, approve: (deletions: number) => approveChange(ctx, { ...wish, deletions }) }
}

/** So one more goes, and its change is the same. */
async function marks(w: Workload, changeId: string) {
  const [first] = (await at.g.machines(w)).filter(isControlPlane)
  const mark = { metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': '' } } }
  await at.cluster.admin.patch(MACHINES, first!.metadata.name, w.namespace, 'merge', mark)
  // Looked at again, as it is within a minute, and at once where anybody writes to the group.
  const touch = { metadata: { annotations: { touched: 'yes' } } }
  await at.cluster.admin.patch(KCP, w.controlPlane, w.namespace, 'merge', touch)
  const deleted = async () => outlookIn((await at.g.changes(w, w.controlPlane))[0]!).inPlace?.deleted
  await until('the page to say so', async () => (await deleted()) === 2, { ms: 40_000, every: 100 })
  expect((await at.g.changes(w, w.controlPlane))[0]!.id).toBe(changeId)
}

test('approved in place for later, and a machine is marked since: it waits for somebody who is shown that', async () => {
  const { w, cp, changeId, approve } = await waiting('plane', true)
  expect((await approve(1)).state).toBe('gathering')
  await marks(w, changeId)
  await db().rolloutPolicy.deleteMany({})
  const event = { action: 'change.not-due', targetId: changeId }
  const isForPeople = async () => (await db().auditEvent.count({ where: event })) > 0
  await until('its time to have come', isForPeople, { ms: 40_000, every: 100 })
  expect((await at.g.changes(w, cp))[0]!).toMatchObject({ state: 'waiting', dueMode: null, decisions: [] })
  expect((await approve(2)).state).toMatch(/accepted|seen/)
})

test('refused by the cluster and tried again, and a machine is marked since: nothing is released', async () => {
  const { w, cp, changeId, approve } = await waiting('again')
  const client = await kubeClientFor(at.g.clusterId)
  const { patch } = client
  client.patch = () => Promise.reject(new KubeError(403, { kind: 'Status', code: 403, message: 'no' }, 'PATCH'))
  const failed = await approve(1).finally(() => void (client.patch = patch))
  expect(failed).toMatchObject({ state: 'failed' })
  await marks(w, changeId)
  expect(await retryDecision(ctx, { decisionId: failed.id, typedName: cp })).toMatchObject({
    ...{ state: 'voided', error: expect.stringContaining('2 machines would be deleted by now') as string },
  })
})
