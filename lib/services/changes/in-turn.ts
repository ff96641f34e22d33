import { db } from '@/lib/db/client'
import type { Machine } from '@/lib/db/generated/client'
import { outlookOf, type ChangeSet, type OutlookInput } from '@/lib/domain/changes'
import type { Json } from '@/lib/domain/json'
import type { GroupChange } from '@/lib/providers/cluster-api/changes'
import { isIll } from '../forecast/input'
import { turnsOf } from '../forecast/turns'

/**
 * Of a control plane, marked machines go also where they are what is wanted, and one that is not well may be replaced. Where
 * only some of its machines can be updated in place, it counts which have their turn first (marked ones, those of the
 * domain with the most): that is played forward.
 */
export async function inTurn(
  clusterId: string,
  { owner, replicas, strategy }: GroupChange,
  changeSet: ChangeSet,
  input: OutlookInput,
): Promise<OutlookInput> {
  if (owner.kind !== 'KubeadmControlPlane' || input.pairs.length === 0) return input
  const { kind: groupKind, name: groupName, namespace, uid: groupId } = owner
  const rows = await db().machine.findMany({ where: { clusterId, namespace, groupKind, groupName } })
  const surge = strategy.type === 'RollingUpdate' ? String(strategy.maxSurge ?? 1) : null
  const ill = surge === '0' ? replacedIll(rows) : undefined
  const pairs = input.pairs.map((pair) =>
    pair.from === ill && !pair.certainReplace ? { ...pair, certainReplace: NOT_WELL } : pair,
  )
  const old = new Set(pairs.map(({ from }) => from))
  const marked = rows.flatMap(({ name, deleteMarked }) => (deleteMarked && !old.has(name) ? [name] : []))
  const counted = { ...input, pairs, ...(marked.length > 0 ? { marked } : {}) }
  const outlook = outlookOf(counted)
  const certain = pairs.filter((pair) => pair.certainReplace).length + marked.length
  if (certain === 0 || pairs.every((pair) => pair.certainReplace) || input.impossible) return counted
  const wanted = { desiredReplicas: replicas, strategy: strategy.type, maxSurge: surge, maxUnavailable: null }
  const played = { changeSet: changeSet as unknown as Json, outlook: outlook as unknown as Json }
  const turns = await turnsOf(
    { clusterId, groupKind, groupName, namespace, groupId, ...played },
    { ...wanted, deletionOrder: null },
    ill,
  )
  return turns ? { ...counted, turns } : counted
}

const NOT_WELL =
  'Its control plane components are not well now: where none comes first, Cluster API takes such a machine next, and replaces it. Well again before that, it is updated like the others.'

/**
 * The one machine that is not well, where it is the next to go (kubeadmcontrolplane/update.go, tryInPlaceUpdate): marked
 * ones go before it, and wait for it as all do; while two are not well, nothing moves.
 */
function replacedIll(rows: readonly Machine[]): string | undefined {
  const [ill, ...more] = rows.filter((row) => isIll(row, Date.now()))
  const markedElse = rows.some(({ name, deleteMarked }) => deleteMarked && name !== ill?.name)
  return ill && more.length === 0 && !markedElse ? ill.name : undefined
}
