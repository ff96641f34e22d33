import { db } from '@/lib/db/client'
import { skip, SKIP_PREFLIGHT, SKIPPED, unskip } from '@/lib/domain/scaling'
import { minorOf } from '@/lib/domain/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import { text } from '@/lib/providers/fields'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { growingOf } from '@/lib/services/scaling/growing'
import { besides } from '../beside'
import { Refusals } from '../refusals'
import type { ClusterView } from '../types'
import { DEPLOYMENTS, ownerOf, patchSet, SETS, type SetPatch } from './sets'

/**
 * Where somebody let worker groups get machines while a higher version of their control plane waits: the checks that compare with
 * that version are skipped on machine sets of the minor version that the control plane has, whose machines can join it, and made again when
 * it goes on.
 */
export async function letWorkersGrow(view: ClusterView, stopped: () => boolean): Promise<void> {
  const rows = await growingOf(db(), view.clusterId)
  const growing = new Map(rows.map((row) => [`${row.namespace}/${row.workloadCluster}`, row]))
  const groups = new Map([...view.objects(DEPLOYMENTS).values()].map((object) => [object.metadata.uid, object]))
  const patches = [...view.objects(SETS).values()].flatMap((set) => {
    if (growing.size === 0 && !(SKIPPED in (set.metadata.annotations ?? {}))) return []
    const group = groups.get(ownerOf(set) ?? '')
    if (!group || set.metadata.deletionTimestamp) return []
    // Its own list is written to its sets again and again, by its controller.
    const ownList = SKIP_PREFLIGHT in (group.metadata.annotations ?? {})
    const row = growing.get(`${set.metadata.namespace}/${workloadClusterOf(set)}`)
    const lets =
      row !== undefined && !ownList && minorOf(row.version) !== null && minorOf(row.version) === minorOf(versionOf(set))
    const make = ({ metadata: { annotations = {} } }: KubeObject): SetPatch | null => {
      const changed = lets ? skip(annotations) : unskip(annotations)
      return changed && { annotations: changed }
    }
    if (!make(set) || refusals.stands(set.metadata.uid)) return []
    const about = lets
      ? {
          intent: 'scaling.skip-checks',
          action: 'scaling.checks-skipped',
          reason: `${row.by} lets worker groups get machines: machine set ${set.metadata.name}`,
        }
      : { intent: 'scaling.make-checks', action: 'scaling.checks-made', reason: `machine set ${set.metadata.name}` }
    return [{ set, make, of: { ...about, id: group.metadata.uid, group: { ...group, kind: 'MachineDeployment' } } }]
  })
  const write = async ({ set, make, of }: (typeof patches)[number]): Promise<void> => {
    const result = await patchSet(view, set, of, make)
    refusals.heed(set.metadata.uid, result)
  }
  await beside(view).each(patches, ({ set }) => set.metadata.uid, write, stopped)
}

const beside = besides()

const versionOf = (set: KubeObject): string | null => text(set.spec, 'template', 'spec', 'version')

const refusals = new Refusals()
