import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { planHeadline, worstOf } from '@/lib/domain/plan'
import { parseResource } from '@/lib/kubernetes/paths'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { groupResource } from '../changes/patch-for'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { gatherManaged, patched } from './cluster'
import { OWNED, planContext, type PlanContext } from './context'
import { gather } from './gather'
import { inTurn } from './in-turn'
import { planGroup } from './plan-group'
import { PlanInput } from './schemas'
import { addSubject, type Gathered } from './subjects'
import type { PlanGroup, PlanResult } from './types'
import { refusalOf } from './words'

/**
 * What a change that does not exist yet would do to each machine: tried on the API server, compared with the machines that
 * are there, and asked of the updaters, all as for a real one. Nothing is applied, and nothing is stored.
 */
export async function planChange(ctx: Ctx, input: unknown): Promise<PlanResult> {
  requirePermission(ctx, 'changes:plan')
  const { clusterId, manifests, groupId, version } = parseInput(PlanInput, input)
  const context = await planContext(clusterId)
  try {
    const gathered =
      manifests === undefined ? await versionOf(context, groupId!, version!) : await gather(context, manifests)
    return await resultOf(context, gathered)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    // What is wrong with what was given is said of each document; this is about what was read besides.
    const { sentence, answer } = refusalOf(error, 'what is there')
    throw new ServiceError('refused', sentence, { answer })
  }
}

export async function resultOf(context: PlanContext, gathered: Gathered): Promise<PlanResult> {
  const subjects = [...gathered.subjects.values()]
  const groups = await inTurn(subjects, (subject) => planGroup(context, subject, gathered))
  groups.sort(byName)
  const { documents } = gathered
  const invalid = documents.filter((d) => d.outcome === 'invalid').length
  const unknown = documents.filter((d) => d.outcome === 'unknown').length
  return {
    clusterId: context.clusterId,
    clusterName: context.clusterName,
    verdict: worstOf([
      ...groups.map((group) => group.verdict),
      ...(invalid > 0 ? ['invalid' as const] : []),
      ...(unknown > 0 ? ['unknown' as const] : []),
    ]),
    headline: planHeadline({ groups, invalid, unknown }),
    documents,
    groups,
  }
}

const byName = (a: PlanGroup, b: PlanGroup): number =>
  `${a.workloadCluster} ${a.groupKind} ${a.groupName}` < `${b.workloadCluster} ${b.groupKind} ${b.groupName}` ? -1 : 1

/** "Change version to…": what somebody would write into the group, or into the Cluster that a ClusterClass manages. */
async function versionOf(context: PlanContext, groupId: string, version: string): Promise<Gathered> {
  const row = await db().group.findFirst({ where: { id: groupId, clusterId: context.clusterId } })
  if (!row) throw new ServiceError('not-found', 'There is no such group in this management cluster.')
  if (row.kind !== 'MachineDeployment' && row.kind !== 'KubeadmControlPlane')
    throw new ServiceError(
      'invalid',
      `Drydock plans versions of MachineDeployments and control planes, not of a ${row.kind}.`,
    )
  const live = await read(context, row)
  const gathered: Gathered = { documents: [], subjects: new Map(), templates: [] }
  if (OWNED in (live.metadata.labels ?? {})) return gatherManaged(context, gathered, live, version)
  const spec: JsonObject = row.kind === 'KubeadmControlPlane' ? { version } : { template: { spec: { version } } }
  try {
    const planned = await patched(context, live, { spec })
    addSubject(gathered, { planned, live, undetermined: [], notes: [] })
  } catch (error) {
    const what = `${row.kind} ${row.namespace}/${row.name}`
    const { apiVersion, kind } = live
    gathered.documents.push({
      ...{ line: null, apiVersion, kind, namespace: row.namespace, name: row.name },
      ...refusalOf(error, `version ${version} for ${what}`),
    })
  }
  return gathered
}

async function read(
  { client, capabilities }: PlanContext,
  row: { kind: string; namespace: string; name: string; apiVersion: string },
): Promise<KubeObject> {
  const { group, plural } = groupResource(row.kind, row.apiVersion)
  const version = capabilities.resources[`${plural}.${group}`] ?? row.apiVersion.split('/')[1]!
  try {
    const object = await client.get(parseResource(`${plural}.${group}`, version), row.name, row.namespace)
    return { ...object, apiVersion: `${group}/${version}`, kind: row.kind }
  } catch (error) {
    if (error instanceof KubeError && error.code === 404)
      throw new ServiceError('not-found', `${row.kind} ${row.namespace}/${row.name} no longer exists.`)
    throw error
  }
}
