import { expect, vi } from 'vitest'
import { objectKey } from '@/lib/kubernetes/paths'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { conditionsOf } from '@/lib/providers/cluster-api/conditions'
import { pausedSince } from '@/lib/providers/cluster-api/group'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import type { ClusterView, Heard } from '@/worker/types'
import { DEPLOYMENTS, SETS } from '@/worker/scaling/sets'
import { takeBack } from '@/worker/scaling/take-back'
import { pauseCluster } from './bootstrap-template'
import { MD, type Held } from './held'
import { ada, timedCluster } from './timed'

export const MS = { ...MD, plural: 'machinesets' }
export const REVISION = 'machinedeployment.clusters.x-k8s.io/revision'

/** A cluster whose groups are held while a machine set of theirs was told of machines that it has not made. */
export function takingBack() {
  const { at, view: plain, look } = timedCluster()

  /** Held, and nothing of its Cluster moves; beside its machine set one of the version that waits, told of so many. */
  async function heldWith(replicas: number): Promise<Held & { next: string }> {
    const held = await at.held()
    await pauseCluster(at.cluster.admin, held)
    // Its manager says since when: seen later, that would be another hold.
    await vi.waitFor(async () => expect(pausedSince(conditionsOf(await held.read()))).not.toBeNull(), 10_000)
    const [old] = await setsOf(held)
    const { name, namespace, labels, annotations, ownerReferences } = old!.metadata
    const next = `${name}-next`
    const made = old!.spec?.template as { metadata: object }
    const wanted = (await held.read()).spec?.template as { spec: object }
    const spec = { ...old!.spec, replicas, template: { metadata: made.metadata, spec: wanted.spec } }
    await at.cluster.admin.create(
      MS,
      {
        ...{ apiVersion: old!.apiVersion, kind: 'MachineSet', spec },
        metadata: {
          ...{ name: next, namespace, labels, ownerReferences },
          annotations: { ...annotations, [REVISION]: '2' },
        },
      } as never,
      held.namespace,
    )
    return { ...held, next }
  }

  const setsOf = async ({ namespace }: Pick<Held, 'namespace'>) =>
    (await at.cluster.admin.list(MS, namespace, {})).items
  const told = async (held: Held & { next: string }) =>
    (await at.cluster.admin.get(MS, held.next, held.namespace)).spec?.replicas

  /** As the worker sees the cluster: of one hold, always the same view. */
  async function viewOf(
    held: Held,
    client: Partial<KubeClient> = {},
    heardNow: () => Heard = () => 'listed',
    asSeen: (object: KubeObject) => KubeObject = (object) => object,
  ): Promise<ClusterView & { look(): Promise<void> }> {
    const base = await plain()
    const real = base.client
    const known = new Map<string, Map<string, KubeObject>>()
    const byKey = (objects: KubeObject[]) => new Map(objects.map((object) => [objectKey(object), object]))
    const view: ClusterView = {
      ...base,
      client: {
        ...real,
        get: real.get.bind(real),
        list: real.list.bind(real),
        patch: real.patch.bind(real),
        pages: real.pages.bind(real),
        ...client,
      } as KubeClient,
      objects: (resource) => known.get(resource) ?? new Map(),
      heardNow,
    }
    const look = async () => {
      if (heardNow() === 'listed') known.set(SETS, byKey(await setsOf(held)))
      known.set(DEPLOYMENTS, byKey([asSeen(await held.read())]))
      await takeBack(view, () => false)
    }
    return Object.assign(view, { look })
  }

  const story = async (held: Held) => (await getUpdate(ada, held.change.id)).timeline.map(({ text }) => text).join('\n')

  return { at, view: plain, look, heldWith, viewOf, told, story }
}
