import type { Tx } from '@/lib/db/client'
import {
  etcdWords,
  illAmong,
  illFirst,
  mayGoWords,
  noneToSpare,
  planeHealth,
  risksOf,
  unaskedWords,
  waitsWords,
  type MemberHealth,
  type PlaneHealth,
  type PlaneSaid,
} from '@/lib/domain/control-plane'
import type { Condition } from '@/lib/domain/rows'
import type { Change } from '@/lib/db/generated/client'
import type { DecisionMode } from './change-row'

type Of = Pick<Change, 'clusterId' | 'groupId' | 'groupKind' | 'namespace' | 'groupName'>

/** A control plane as it stands before a step. */
export interface PlaneDto extends Omit<PlaneHealth, 'machines'> {
  machines: PlaneMachineDto[]
  /** How etcd stands, in sentences. */
  words: string[]
  /** The same where its machines go in this way alone. */
  wordsOf: Record<'in-place' | 'replace', string[]>
  /** What stands against dealing with one of its machines; with any, the name is typed. */
  risks: Record<'in-place' | 'replace', string[]>
  /** Which one goes first, and that nobody is asked about it; null: none. */
  unasked: string | null
  /** Which one may go next, once all others are well, and that nobody is asked about it; null: none, or it is told above. */
  mayGo: string | null
  /** For which one that is ill everything waits, as there are fewer machines than its rollout has; null: for none. */
  waits: string | null
  /** Of a rollout that is under way: why the next machine waits. */
  noneToSpare: string | null
  /** Its manager does not look while it is paused: since when (null: not known); false: it looks. */
  frozen: { since: string | null } | false
  /** A machine whose deletion does not end while its manager is paused: that takes its member out of etcd. Null: none. */
  hangs: string | null
}

export interface PlaneMachineDto extends MemberHealth {
  id: string
  version: string | null
  failureDomain: string | null
  verdict: string
  going: 'deleting' | 'updating' | null
}

/** What is known of the control plane of a change; null: it is another kind. */
export async function planeOf(tx: Tx, change: Of): Promise<PlaneDto | null> {
  const found = await lookAt(tx, change)
  if (!found) return null
  const { health, rows, maxSurge, frozen, first, waitsFor, ill } = found
  return {
    ...health,
    machines: health.machines.map((machine, i) => {
      const { id, version, failureDomain, verdict, deleting, updating } = rows[i]!
      return {
        ...machine,
        id,
        version,
        failureDomain,
        verdict,
        going: deleting ? 'deleting' : updating ? 'updating' : null,
      }
    }),
    words: etcdWords(health, maxSurge, null, first),
    wordsOf: {
      'in-place': etcdWords(health, maxSurge, 'in-place'),
      replace: etcdWords(health, maxSurge, 'replace', first),
    },
    risks: { 'in-place': risksOf(health, 'in-place', maxSurge), replace: risksOf(health, 'replace', maxSurge, first) },
    unasked: first && unaskedWords(first),
    mayGo: ill.length > 0 ? mayGoWords(ill) : null,
    waits: waitsFor && waitsWords(waitsFor, health, frozen !== false),
    noneToSpare: noneToSpare(health),
    frozen,
    hangs: frozen
      ? (health.machines.find(({ member }, i) => rows[i]!.deleting && member !== 'gone')?.name ?? null)
      : null,
  }
}

/** What stands against letting it go this way, by what is known of its etcd: whoever does so all the same types its name. */
export async function planeRisks(tx: Tx, change: Of, mode: DecisionMode): Promise<string[]> {
  if (mode === 'reject') return []
  const found = await lookAt(tx, change)
  return found ? risksOf(found.health, mode, found.maxSurge, found.first) : []
}

/** The same of many in one way, with two queries: all of it, by their ids. */
export async function planeRisksAmong(
  tx: Tx,
  changes: readonly (Of & { id: string })[],
  mode: DecisionMode,
): Promise<Map<string, string[]>> {
  const found = mode === 'reject' ? [] : await lookAtAll(tx, changes)
  return new Map(
    changes.map(({ id }, i) => {
      const of = found[i]
      return [id, of && mode !== 'reject' ? risksOf(of.health, mode, of.maxSurge, of.first) : []] as const
    }),
  )
}

/** Members of etcd are on its machines; also where only what is wanted is an external one. */
export async function hasMembers(tx: Tx, change: Of): Promise<boolean> {
  const found = await lookAt(tx, change)
  return found !== null && (found.health.etcd !== 'external' || found.health.leaves)
}

/** The first of it, of many that would be updated in place: by the ids of those with something against it. */
export async function planesAtRisk(tx: Tx, changes: readonly (Of & { id: string })[]): Promise<Map<string, string>> {
  const all = await planeRisksAmong(tx, changes, 'in-place')
  return new Map([...all].flatMap(([id, [risk]]) => (risk === undefined ? [] : [[id, risk] as const])))
}

const lookAt = async (tx: Tx, change: Of) => (await lookAtAll(tx, [change]))[0] ?? null

const KIND = 'KubeadmControlPlane'
const OLD = ['in-place', 'in-place-with-spare', 'replace']
const placeOf = ({
  clusterId,
  namespace,
  groupName,
}: Pick<Of, 'clusterId' | 'namespace'> & { groupName: string | null }) => `${clusterId} ${namespace}/${groupName}`
const distinct = <T>(all: readonly T[]): T[] => [...new Set(all)]

async function lookAtAll(tx: Tx, changes: readonly Of[]) {
  const planes = changes.filter(({ groupKind }) => groupKind === KIND)
  if (planes.length === 0) return changes.map(() => null)
  const clusterId = { in: distinct(planes.map((plane) => plane.clusterId)) }
  const groups = await tx.group.findMany({
    where: { id: { in: planes.map(({ groupId }) => groupId) }, clusterId },
    select: {
      id: true,
      etcd: true,
      maxSurge: true,
      desiredReplicas: true,
      held: true,
      paused: true,
      heldSince: true,
      conditions: true,
    },
  })
  const namespace = { in: distinct(planes.map((plane) => plane.namespace)) }
  const groupName = { in: distinct(planes.map((plane) => plane.groupName)) }
  const all = await tx.machine.findMany({
    where: { clusterId, groupKind: KIND, namespace, groupName },
    orderBy: [{ failureDomain: 'asc' }, { name: 'asc' }],
    select: {
      ...{ id: true, name: true, node: true, version: true, failureDomain: true, verdict: true, deleting: true },
      ...{ updating: true, plane: true, clusterId: true, namespace: true, groupName: true },
    },
  })
  const byId = new Map(groups.map((group) => [group.id, group]))
  const byPlace = new Map<string, typeof all>()
  for (const row of all) byPlace.set(placeOf(row), [...(byPlace.get(placeOf(row)) ?? []), row])
  return changes.map((change) => {
    if (change.groupKind !== KIND) return null
    const group = byId.get(change.groupId) ?? null
    const rows = byPlace.get(placeOf(change)) ?? []
    const machines = rows.map(({ name, node, deleting, plane }) => ({
      ...{ name, joined: node !== null, deleting, said: plane as unknown as PlaneSaid | null },
    }))
    const maxSurge: 0 | 1 = group?.maxSurge === '0' ? 0 : 1
    const health = planeHealth((group?.etcd ?? null) as PlaneHealth['etcd'], machines)
    // One that is being updated in place is waited for.
    const isOld = (name: string) =>
      rows.some((row) => row.name === name && !row.deleting && !row.updating && OLD.includes(row.verdict))
    const ill = illFirst(health, isOld)
    const there = rows.filter(({ deleting }) => !deleting).length
    const all = group !== null && there >= group.desiredReplicas + maxSurge
    return {
      ...{ health, rows, maxSurge, frozen: frozenOf(group) },
      ...{ first: all ? ill : null, waitsFor: all ? null : ill, ill: all && !ill ? illAmong(health, isOld) : [] },
    }
  })
}

interface Paused {
  held: string | null
  paused: boolean
  heldSince: Date | null
  conditions: unknown
}

/** A paused manager of control planes writes nothing, neither on the group nor on its machines (kubeadmcontrolplane_controller.go). */
function frozenOf(group: Paused | null): PlaneDto['frozen'] {
  if (!group) return { since: null }
  const { held, paused, heldSince, conditions } = group
  const said = (conditions as unknown as Condition[]).find(({ type, status }) => type === 'Paused' && status === 'True')
  if (held === null && !paused && !said) return false
  return { since: heldSince?.toISOString() ?? said?.lastTransitionTime ?? null }
}
