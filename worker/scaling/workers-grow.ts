import { db } from '@/lib/db/client'
import { skip, SKIP_PREFLIGHT, SKIPPED, unskip } from '@/lib/domain/scaling'
import { versionKey } from '@/lib/domain/version'
import type { KubeObject } from '@/lib/kubernetes/types'
import { text } from '@/lib/providers/fields'
import { workloadClusterOf } from '@/lib/providers/cluster-api/owners'
import { GROWING, type Growing } from '@/lib/services/scaling/growing'
import type { ClusterView } from '../types'
import { DEPLOYMENTS, ownerOf, patchSet, SETS, type SetPatch } from './sets'

/**
 * Where somebody let worker groups get machines while a higher version of their control plane waits: the checks that compare with
 * that version are skipped on machine sets of the version that the control plane has, and made again when it goes on.
 */
export async function letWorkersGrow(view: ClusterView, stopped: () => boolean): Promise<void> {
  const rows = await db().$queryRawUnsafe<Growing[]>(GROWING, view.clusterId)
  const growing = new Map(rows.map((row) => [`${row.namespace}/${row.workloadCluster}`, row]))
  const groups = new Map([...view.objects(DEPLOYMENTS).values()].map((object) => [object.metadata.uid, object]))
  for (const set of view.objects(SETS).values()) {
    if (stopped()) return
    if (growing.size === 0 && !(SKIPPED in (set.metadata.annotations ?? {}))) continue
    const group = groups.get(ownerOf(set) ?? '')
    if (!group || set.metadata.deletionTimestamp) continue
    // Its own list is written to its sets again and again, by its controller.
    const ownList = SKIP_PREFLIGHT in (group.metadata.annotations ?? {})
    const row = growing.get(`${set.metadata.namespace}/${workloadClusterOf(set)}`)
    const lets = row !== undefined && !ownList && versionKey(row.version) === versionKey(versionOf(set))
    const make = ({ metadata: { annotations = {} } }: KubeObject): SetPatch | null => {
      const changed = lets ? skip(annotations) : unskip(annotations)
      return changed && { annotations: changed }
    }
    if (!make(set) || mayNotYet(set)) continue
    const about = lets
      ? {
          intent: 'scaling.skip-checks',
          action: 'scaling.checks-skipped',
          reason: `${row.by} lets worker groups get machines`,
        }
      : { intent: 'scaling.make-checks', action: 'scaling.checks-made' }
    const of = { ...about, id: group.metadata.uid, group: { ...group, kind: 'MachineDeployment' } }
    const result = await patchSet(view, set, of, make)
    if (typeof result === 'object') refusals.set(set.metadata.uid, Date.now() + AGAIN_MS)
  }
}

const versionOf = (set: KubeObject): string | null => text(set.spec, 'template', 'spec', 'version')

/** What the API server refuses is not asked again every two seconds. */
const AGAIN_MS = 30_000
const refusals = new Map<string, number>()
const mayNotYet = ({ metadata }: KubeObject): boolean => Date.now() < (refusals.get(metadata.uid) ?? 0)
