import type { Tx } from '@/lib/db/client'
import {
  etcdWords,
  noneToSpare,
  planeHealth,
  risksOf,
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
  /** What stands against dealing with one of its machines; with any, the name is typed. */
  risks: Record<'in-place' | 'replace', string[]>
  /** Of a rollout that is under way: why the next machine waits. */
  noneToSpare: string | null
  /** Its manager does not look while it is paused: since when (null: not known); false: it looks. */
  frozen: { since: string | null } | false
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
  const { health, rows, maxSurge, frozen } = found
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
    words: etcdWords(health, maxSurge),
    risks: { 'in-place': risksOf(health, 'in-place', maxSurge), replace: risksOf(health, 'replace', maxSurge) },
    noneToSpare: noneToSpare(health),
    frozen,
  }
}

/** What stands against letting it go this way, by what is known of its etcd: whoever does so all the same types its name. */
export async function planeRisks(tx: Tx, change: Of, mode: DecisionMode): Promise<string[]> {
  if (mode === 'reject') return []
  const found = await lookAt(tx, change)
  return found ? risksOf(found.health, mode, found.maxSurge) : []
}

async function lookAt(tx: Tx, { clusterId, groupId, groupKind, namespace, groupName }: Of) {
  if (groupKind !== 'KubeadmControlPlane') return null
  const group = await tx.group.findFirst({
    where: { id: groupId, clusterId },
    select: { etcd: true, maxSurge: true, held: true, paused: true, heldSince: true, conditions: true },
  })
  const rows = await tx.machine.findMany({
    where: { clusterId, groupKind, namespace, groupName },
    orderBy: [{ failureDomain: 'asc' }, { name: 'asc' }],
    select: {
      ...{ id: true, name: true, node: true, version: true, failureDomain: true, verdict: true, deleting: true },
      ...{ updating: true, plane: true },
    },
  })
  const machines = rows.map(({ name, node, deleting, plane }) => ({
    ...{ name, joined: node !== null, deleting, said: plane as unknown as PlaneSaid | null },
  }))
  const maxSurge: 0 | 1 = group?.maxSurge === '0' ? 0 : 1
  return {
    health: planeHealth((group?.etcd ?? null) as PlaneHealth['etcd'], machines),
    rows,
    maxSurge,
    frozen: frozenOf(group),
  }
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
