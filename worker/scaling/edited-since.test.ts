import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import { objectKey } from '@/lib/kubernetes/paths'
import type { KubeObject } from '@/lib/kubernetes/types'
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

test.each([true, false])(
  'scaled while it is held, and its bootstrap template edited where it stands (%s): nothing is made of what nobody approved',
  async (edited) => {
    const held = await at.held()
    await says(held, { scaleWhileHeld: true })
    const { metadata, spec } = await held.read()
    const name = String(valueAt(spec as never, 'template', 'spec', 'bootstrap', 'configRef', 'name'))
    const template = await at.cluster.admin.get(TEMPLATES, name, held.namespace)
    const more = edited ? { spec: { preKubeadmCommands: ['echo another'] } } : { metadata: { labels: { a: 'b' } } }
    // What managed fields tell is to the second.
    const made = Date.parse(template.metadata.creationTimestamp)
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(made + 1_000), 5_000)
    const body = { spec: { template: more } } as never
    await at.cluster.admin.patch(TEMPLATES, name, held.namespace, 'merge', edited ? body : (more as never))
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { replicas: 3 } })
    await db().group.update({ where: { id: metadata.uid }, data: { held: 'waiting' } })
    const known = new Map([
      [SETS, byKey(await list(MS, held.namespace))],
      [DEPLOYMENTS, byKey(await list(MD, held.namespace))],
    ])
    await carryScaling({ ...(await plain()), objects: (resource) => known.get(resource) ?? new Map() }, () => false)
    const [set] = await list(MS, held.namespace)
    expect(set!.spec?.replicas).toBe(edited ? 1 : 3)
    const { scaling } = await db().group.findUniqueOrThrow({ where: { id: metadata.uid } })
    const why = `KubeadmConfigTemplate ${name} was edited since its change came`
    expect((scaling as { trouble: string | null }).trouble).toEqual(edited ? expect.stringContaining(why) : null)
  },
)
