import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import { previewManaged } from '../boot-images/preview-managed'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import type { Ctx } from '../context'
import { acknowledgeSkew } from './acknowledge'
import { previewSeveralSkew } from './preview-several'

useTestDatabase()
const ctx: Ctx = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'admin' } }
const MC = 'machineconfigurations.operator.openshift.io'
const WHY = 'The control plane is hosted elsewhere: boot images are replaced with their node pools there.'
let server: RunningApiServer
let clusterId: string
beforeAll(async () => {
  server = await startApiServer({
    ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
    users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
  })
  ;({ clusterId } = await addCluster(ctx, { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig }))
  const card = { version: '4.22.4', skewSupported: true, availability: 'hosted', modeWhy: WHY }
  await db().openShiftCluster.create({ data: { clusterId, ...card, evidence: { platform: { type: 'AWS' } } } })
}, 60_000)
afterAll(async () => {
  await closeClients()
  await server?.stop()
})

test('where the control plane is hosted nobody acts on it, and nothing is decided, in bulk neither', async () => {
  const wish = { clusterId, versionKind: 'OCPVersion' as const, version: '4.20.0' }
  const refused = { code: 'invalid', message: WHY }
  for (const action of ['acknowledge', 'opt-out'] as const) {
    const [row] = await previewSeveralSkew(ctx, { action, clusters: [action === 'acknowledge' ? wish : { clusterId }] })
    expect(row).toMatchObject({ preview: null, refused })
  }
  const { uid, resourceVersion, generation } = server.store.get(MC, 'cluster')!.metadata
  await expect(acknowledgeSkew(ctx, { ...wish, uid, resourceVersion, generation })).rejects.toMatchObject(refused)
  await expect(previewManaged(ctx, { clusterId, sets: { mode: 'None' } })).rejects.toMatchObject(refused)
})
