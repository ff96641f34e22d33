import { scaledBy } from '@/lib/domain/scaling'
import type { KubeObject } from '@/lib/kubernetes/types'
import { clientSource } from '@/lib/providers/cluster-api/changes'
import { setSizes } from '@/lib/providers/cluster-api/scaling'
import { TAKE_BACK } from '@/lib/services/scaling/taken-back'
import { log } from '../log'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { holdOf } from './looked'
import { patchSet, resourceOf } from './sets'

const refusals = new Refusals()

export const isRefused = ({ metadata }: KubeObject): boolean => refusals.stands(metadata.uid)

/** Tells a machine set, as it is then, of no more machines than it has made; its group is held at that moment. */
export async function lowerSet(view: ClusterView, object: KubeObject, set: KubeObject): Promise<void> {
  const { name, namespace, uid } = object.metadata
  const group = { ...object, kind: 'MachineDeployment' }
  // Let go after that look its manager counts anew, and once more for what is written here.
  const isStillHeld = async () => {
    const held = await view.client.get(resourceOf(object, 'machinedeployments'), name, namespace)
    return held.metadata.uid === uid && holdOf(held) !== null
  }
  const lowered = async (fresh: KubeObject): Promise<{ replicas: number; by: number } | null> => {
    const [size] = setSizes(object, [fresh])
    const { length: has } = await machinesOf(view, object, fresh)
    // One that was there a moment ago is made again: that is another thing.
    if (size!.has > has || size!.replicas <= has || scaledBy(size!) !== null || !(await isStillHeld())) return null
    return { replicas: has, by: size!.replicas - has }
  }
  let by = 0
  const machines = () => `${by === 0 ? '' : `${by} `}${by === 1 ? 'machine' : 'machines'} that it had not made`
  const reason = () => `machine set ${set.metadata.name} had been told of ${machines()}`
  const result = await patchSet(view, set, { id: uid, group, ...TAKE_BACK.back, reason }, async (fresh) => {
    const next = await lowered(fresh)
    if (!next || (by !== 0 && by !== next.by)) return null
    by = next.by
    return { replicas: next.replicas }
  })
  refusals.heed(set.metadata.uid, result)
  if (result && 'stored' in result)
    await leave(view, object, result.stored).catch((err: unknown) =>
      log.warn(
        { err, cluster: view.name, group: name },
        'a machine that was made in the moment of that may be deleted',
      ),
    )
}

/** One that was made in the very moment of that write stays; not one that is being deleted already, in whose place another would be made. */
async function leave(view: ClusterView, object: KubeObject, set: KubeObject): Promise<void> {
  const replicas = async (fresh: KubeObject) => {
    const machines = await machinesOf(view, object, fresh)
    const has = machines.filter(({ metadata }) => !metadata.deletionTimestamp).length
    return has > Number(fresh.spec?.replicas ?? 0) ? { replicas: has } : null
  }
  if (!(await replicas(set))) return
  const group = { ...object, kind: 'MachineDeployment' }
  const reason = `a machine of machine set ${set.metadata.name} was made in that moment`
  await patchSet(view, set, { id: object.metadata.uid, group, ...TAKE_BACK.left, reason }, replicas)
}

/** As its controller counts them: with those that are being deleted. */
async function machinesOf(view: ClusterView, object: KubeObject, { metadata }: KubeObject): Promise<KubeObject[]> {
  const isOwn = ({ ownerReferences }: KubeObject['metadata']) =>
    ownerReferences?.some(({ uid }) => uid === metadata.uid)
  return (await sourceOf(view).workers(object)).filter((machine) => isOwn(machine.metadata))
}

const sourceOf = ({ client, capabilities: { resources } }: ClusterView) =>
  clientSource({ client, resources, letGo: () => Promise.resolve(null) })
