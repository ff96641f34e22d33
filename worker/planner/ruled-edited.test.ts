import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { approveChange } from '@/lib/services/changes/approve-change'
import { groupResource } from '@/lib/services/changes/patch-for'
import { before } from '@/testenv/before'
import { expectHeld, inputFor } from '@/testenv/deciding'
import { newestOf } from '@/testenv/reconnected'
import { ada, timedCluster } from '@/testenv/timed'

useTestDatabase()
const { at, look } = timedCluster()
const KCP = groupResource('KubeadmControlPlane', 'controlplane.cluster.x-k8s.io/v1beta2')

test('a rule for certificates alone is not let go where the template of its machines was edited since it was approved', async () => {
  const first = await at.held('KubeadmControlPlane')
  const { admin } = at.cluster
  const { name, namespace } = first
  const spec = { version: 'v1.34.0', rollout: { before: { certificatesExpiryDays: 30 } } }
  const group = await admin.patch(KCP, name, namespace, 'merge', { spec })
  const had = { ...group, spec: { ...group.spec, rollout: undefined } }
  await db().group.update({
    where: { id: first.change.groupId },
    data: { governed: true, letGo: rolloutDigest(had as never) },
  })
  await look(first)
  const held = await newestOf(first)
  const ref = valueAt(group.spec, 'machineTemplate', 'spec', 'infrastructureRef') as JsonObject
  const plural = `${String(ref.kind).toLowerCase()}s`
  const templates = { group: String(ref.apiGroup), version: 'v1beta2', plural }
  const template = await admin.get(templates, String(ref.name), namespace)
  // By somebody who may: as where it is deleted, and made again.
  await before(at.clusterId, 'get', async () => {
    const was = valueAt(template.spec, 'template', 'spec') as JsonObject
    const edited = { template: { spec: { ...was, backend: { docker: { customImage: 'other' } } } } }
    await admin.delete(templates, String(ref.name), namespace)
    const metadata = { name: String(ref.name), namespace }
    await admin.create(templates, { ...template, metadata, spec: edited } as never, namespace)
  })
  const made = await approveChange(ada, { ...inputFor(held), typedName: name })
  expect(made).toMatchObject({ state: 'voided', calls: [] })
  expect(made.error).toContain('was edited since it was last looked at here')
  await expectHeld(held)
})
