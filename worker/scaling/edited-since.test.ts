import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import { objectKey } from '@/lib/kubernetes/paths'
import { KubeError, type KubeObject, type Status } from '@/lib/kubernetes/types'
import { MD } from '@/testenv/held'
import { says, timedCluster } from '@/testenv/timed'
import { carryScaling } from './carry-scaling'
import { DEPLOYMENTS, SETS } from './sets'

useTestDatabase()
const { at, view: plain } = timedCluster()
const MS = { ...MD, plural: 'machinesets' }
const CONFIGS = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigs' }
const TEMPLATES = { ...CONFIGS, plural: 'kubeadmconfigtemplates' }
const list = async (resource: typeof MD, namespace: string) =>
  (await at.cluster.admin.list(resource, namespace, {})).items
const byKey = (objects: KubeObject[]) => new Map(objects.map((object) => [objectKey(object), object]))

type Templates = { read(): Promise<KubeObject>; patch(body: object): Promise<unknown>; anew(): Promise<unknown> }
const EDIT = { spec: { template: { spec: { preKubeadmCommands: ['echo another'] } } } }

test.each<[string, (of: Templates) => Promise<unknown>, number | null, string | null]>([
  ['edited where it stands', ({ patch }) => patch(EDIT), null, 'was edited since its change came'],
  ['labelled', ({ patch }) => patch({ metadata: { labels: { a: 'b' } } }), null, null],
  ['made anew under its name', ({ anew }) => anew(), null, 'was edited since its change came'],
  ['not to be read', () => Promise.resolve(), 403, 'Drydock may not read'],
  ['not to be read for now', () => Promise.resolve(), 503, 'Drydock cannot read'],
])(
  'scaled while it is held, and its bootstrap template %s: nothing is made of what nobody approved',
  async (_, meanwhile, code, why) => {
    const held = await at.held()
    await says(held, { scaleWhileHeld: true })
    const { metadata, spec } = await held.read()
    const name = String(valueAt(spec as never, 'template', 'spec', 'bootstrap', 'configRef', 'name'))
    const { admin } = at.cluster
    const read = () => admin.get(TEMPLATES, name, held.namespace)
    const [old] = await list(MS, held.namespace)
    // What metadata tells is to the second.
    await vi.waitFor(
      () => expect(Date.now()).toBeGreaterThan(Date.parse(old!.metadata.creationTimestamp) + 1_100),
      5_000,
    )
    await meanwhile({
      read,
      patch: (body) => admin.patch(TEMPLATES, name, held.namespace, 'merge', body as never),
      anew: async () => {
        const { apiVersion, kind, metadata: was, spec: content } = await read()
        await admin.delete(TEMPLATES, name, held.namespace)
        const labels = was.labels ?? {}
        const made = { apiVersion, kind, metadata: { name, namespace: held.namespace, labels }, spec: content }
        return admin.create(TEMPLATES, made as never, held.namespace)
      },
    })
    await admin.patch(MD, held.name, held.namespace, 'merge', { spec: { replicas: 3 } })
    await db().group.update({ where: { id: metadata.uid }, data: { held: 'waiting' } })
    const known = new Map([
      [SETS, byKey(await list(MS, held.namespace))],
      [DEPLOYMENTS, byKey(await list(MD, held.namespace))],
    ])
    const view = await plain()
    const { client } = view
    const refused = new KubeError(code ?? 500, { message: 'no' } as Status, 'GET')
    const get = (...of: Parameters<typeof client.get>) =>
      code !== null && of[0].group === CONFIGS.group ? Promise.reject(refused) : client.get(...of)
    const asked = {
      ...view,
      client: { ...client, get },
      objects: (resource: string) => known.get(resource) ?? new Map(),
    }
    await carryScaling(asked, () => false)
    const [set] = await list(MS, held.namespace)
    expect(set!.spec?.replicas).toBe(why ? 1 : 3)
    const { scaling } = await db().group.findUniqueOrThrow({ where: { id: metadata.uid } })
    const trouble = why ? expect.stringContaining(why) : null
    expect((scaling as { trouble: string | null }).trouble).toEqual(trouble)
  },
)
