import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { groupResource } from '@/lib/services/changes/patch-for'
import { pauseCluster } from '@/testenv/bootstrap-template'
import { annotations, as, latchedCluster } from '@/testenv/deciding'
import { heldChange } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import * as midway from './midway'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()
afterEach(() => void vi.restoreAllMocks())
const KCP = groupResource('KubeadmControlPlane', 'controlplane.cluster.x-k8s.io/v1beta2')

test('a control plane whose new template is edited while one of its machines is replaced is followed until it is held', async () => {
  const held = await heldChange(at.cluster, at.clusterId, 'KubeadmControlPlane')
  const { kind, name, namespace } = held
  const { groupId, workloadCluster } = held.change
  const { clusterId } = at
  const { admin } = at.cluster
  await db().group.update({ where: { id: groupId }, data: { governed: true } })
  await pauseCluster(admin, held)
  const ref = valueAt((await held.read()).spec, 'machineTemplate', 'spec', 'infrastructureRef') as JsonObject
  const plural = `${String(ref.kind).toLowerCase()}s`
  const templates = { group: String(ref.apiGroup), version: 'v1beta2', plural }
  const template = await admin.get(templates, String(ref.name), namespace)
  const next = async (customImage: string) => {
    const was = valueAt(template.spec, 'template', 'spec') as JsonObject
    const spec = { template: { spec: { ...was, backend: { docker: { customImage } } } } }
    await admin.create(templates, { ...template, metadata: { name: 'next', namespace }, spec } as never, namespace)
  }
  await next('one')
  const spec = { machineTemplate: { spec: { infrastructureRef: { name: 'next' } } } }
  await admin.patch(KCP, name, namespace, 'merge', { spec })
  const planned = async () => planGroup(await planningContext(clusterId), { ...(await held.read()), kind })
  const open = () => db().change.findFirstOrThrow({ where: { groupId }, orderBy: { detectedAt: 'desc' } })
  await planned()
  const { id: changeId, fingerprint } = await open()
  await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace', typedName: name })
  await planned()
  expect((await open()).state).toBe('running')
  const moves = vi.spyOn(midway, 'knownMidway').mockResolvedValue(true)
  await admin.delete(templates, 'next', namespace)
  await next('two')
  await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId, provider: 'cluster.x-k8s.io', namespace, name: 'cp-new', groupName: name },
      ...{ workloadCluster, groupKind: kind, sentence: '', phase: 'Running', state: 'failed', error: 'it burns' },
      ...{ ready: false, available: false, upToDate: true, resourceVersion: '1', createdAt: new Date() },
    },
  })
  await planned()
  const rows = await db().machineProgress.findMany({ where: { changeId } })
  expect(rows.map(({ machineName, state }) => `${machineName} ${state}`)).toContain('cp-new failed')
  expect([(await open()).id, HELD in (await annotations(held))]).toEqual([changeId, false])
  moves.mockResolvedValue(false)
  await planned()
  expect(await annotations(held)).toHaveProperty([HELD])
})
