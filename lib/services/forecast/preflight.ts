import { db } from '@/lib/db/client'
import type { ChangeSet, Outlook } from '@/lib/domain/changes'
import { endlessNotes, infrastructureNote, preflightNotes, type Plane } from '@/lib/domain/rollout/preflight'
import { minorOf } from '@/lib/domain/version'
import type { Plan } from './plan'
import { OPEN } from '../changes/states'
import { growingOf, type Growing } from '../scaling/growing'

interface Workers {
  clusterId: string
  groupKind: string
  namespace: string
  workloadCluster: string
  /** Of the machines that would be created. */
  version: string | null
}

/** Where a rollout of a control plane would never be over. */
export function endlessOf({ pairs }: Pick<ChangeSet, 'pairs'>): string[] {
  const rules = pairs.flatMap(({ changes }) => changes.filter(({ path }) => path === EXPIRY))
  return endlessNotes(rules[0]?.desired)
}

/** Of what can be approved in place. */
export function infrastructureNotes(kind: string, { pairs }: Pick<ChangeSet, 'pairs'>, { inPlace }: Outlook): string[] {
  const touched = pairs.some(
    ({ certainReplace, changes }) => !certainReplace && changes.some(({ object }) => object === 'infrastructure'),
  )
  return inPlace && touched ? [infrastructureNote(kind)] : []
}
const EXPIRY = 'rollout.before.certificatesExpiryDays'

/**
 * What keeps Cluster API from creating the machines that a plan needs, as far as that is known. `planned`: the control plane
 * as it will be, where the same plan changes it.
 */
export async function preflightOf(
  workers: Workers,
  plan: Pick<Plan, 'created'> | null,
  planned: Omit<Plane, 'topology'> | null = null,
): Promise<string[]> {
  const { clusterId, groupKind, namespace, workloadCluster, version } = workers
  if (groupKind !== 'MachineDeployment' || !plan || plan.created === 0) return []
  const where = { clusterId, namespace, workloadCluster }
  const [plane, changing, cluster, growing] = await Promise.all([
    db().group.findFirst({ where: { ...where, kind: 'KubeadmControlPlane' }, select: { name: true, version: true } }),
    db().change.findFirst({
      where: {
        ...{ ...where, groupKind: 'KubeadmControlPlane', toVersion: { not: null } },
        state: { in: OPEN },
      },
      orderBy: { detectedAt: 'desc' },
      select: { toVersion: true },
    }),
    db().workloadCluster.findUnique({
      where: { clusterId_namespace_name: { clusterId, namespace, name: workloadCluster } },
      select: { topologyClass: true },
    }),
    growingOf(db(), clusterId),
  ])
  // Drydock has these checks skipped there (`letWorkersGrow`).
  const minor = minorOf(version)
  const isSkipped = (one: Growing) => one.namespace === namespace && one.workloadCluster === workloadCluster
  if (!planned && minor !== null && growing.some((one) => isSkipped(one) && minorOf(one.version) === minor)) return []
  // Its Cluster may have a version for it that it has not got yet.
  const to = plane && { ...plane, version: changing?.toVersion ?? plane.version, changing: false as const }
  const known = planned ?? to
  const topology = Boolean(cluster?.topologyClass)
  return preflightNotes(version, known && { ...known, topology, changing: changing ? 'open' : known.changing })
}
