import type { JsonObject } from '@/lib/domain/json'
import { parseResource } from '@/lib/kubernetes/paths'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import { objectAt, refOf } from '@/lib/providers/cluster-api/changes'
import { topologyPlan, type GroupPlan } from '@/lib/providers/cluster-api/topology'
import { at, count, items, text } from '@/lib/providers/fields'
import { OWNED, type PlanContext } from './context'
import { addSubject, keyOf, type Gathered } from './subjects'
import type { PlanDocument } from './types'
import { refusalOf } from './words'

const CLUSTER_NAME = 'cluster.x-k8s.io/cluster-name'
const DEPLOYMENT = 'topology.cluster.x-k8s.io/deployment-name'

/** What a Cluster of a ClusterClass would have written to its groups. */
export async function gatherCluster(
  context: PlanContext,
  gathered: Gathered,
  document: PlanDocument,
  live: KubeObject | null,
  planned: KubeObject,
): Promise<void> {
  if (!objectAt(planned.spec, 'topology')) {
    document.sentence += ' It has no topology: its groups are objects of their own.'
    return
  }
  if (!live) {
    document.sentence += ` ${firstMachines(planned)}`
    return
  }
  if (!objectAt(live.spec, 'topology')) {
    document.outcome = 'unknown'
    document.sentence +=
      ' It gets a topology for the first time: what that makes of its machines, only Cluster API can tell.'
    return
  }
  const plan = topologyPlan(live, planned, await classOf(context, planned))
  const groups = (await context.groupsIn(planned.metadata.namespace ?? '')).filter(
    ({ metadata: { labels = {} } }) => labels[CLUSTER_NAME] === planned.metadata.name && OWNED in labels,
  )
  const write = (group: KubeObject, wanted: GroupPlan) => gatherGroup(context, gathered, group, wanted)
  const missing = (what: string) =>
    plan.undetermined.push(`${what} is not there yet: what becomes of it, only Cluster API can tell.`)

  const controlPlaneRef = refOf(planned.spec, 'controlPlaneRef')
  const controlPlane = groups.find((g) => g.kind === 'KubeadmControlPlane' && g.metadata.name === controlPlaneRef?.name)
  if (controlPlane) await write(controlPlane, plan.controlPlane)
  else if (concerns(plan.controlPlane))
    missing(
      controlPlaneRef
        ? `The control plane (${controlPlaneRef.kind}), of a kind that Drydock does not plan,`
        : 'The control plane',
    )
  const ofTopology = (name: string) =>
    groups.find((g) => g.kind === 'MachineDeployment' && g.metadata.labels?.[DEPLOYMENT] === name)
  for (const [name, wanted] of plan.deployments) {
    const group = ofTopology(name)
    if (group) await write(group, wanted)
    else if (concerns(wanted)) missing(`The MachineDeployment of ${name}`)
  }
  for (const name of plan.removed) {
    const group = ofTopology(name)
    if (group) addSubject(gathered, { planned: null, live: group, undetermined: [], notes: [] })
  }
  for (const { name, replicas } of plan.added)
    document.sentence += ` A MachineDeployment ${name} would be made, with ${replicas} machine${replicas === 1 ? '' : 's'}.`
  if (plan.undetermined.length > 0) {
    document.outcome = 'unknown'
    document.sentence += ` ${[...new Set(plan.undetermined)].join(' ')}`
  }
}

const concerns = ({ patch, undetermined }: GroupPlan): boolean => patch !== null || undetermined.length > 0

function firstMachines(cluster: KubeObject): string {
  const topology = at(cluster.spec, 'topology')
  const workers = items(topology, 'workers', 'machineDeployments').reduce<number>(
    (sum, md) => sum + (count(md, 'replicas') ?? 1),
    0,
  )
  const controlPlane = count(topology, 'controlPlane', 'replicas') ?? 1
  const n = (of: number) => `${of} machine${of === 1 ? '' : 's'}`
  return `Its ClusterClass would make ${n(controlPlane)} for the control plane and ${n(workers)} in ${items(topology, 'workers', 'machineDeployments').length} deployments.`
}

/** The group as the topology controller would write it, through the API server. */
async function gatherGroup(
  context: PlanContext,
  gathered: Gathered,
  group: KubeObject,
  wanted: GroupPlan,
): Promise<void> {
  if (!concerns(wanted) && wanted.notes.length === 0) return
  const { undetermined, notes } = wanted
  const add = (planned: KubeObject) => {
    gathered.subjects.delete(keyOf(planned))
    addSubject(gathered, { planned, live: group, undetermined: [...new Set(undetermined)], notes })
  }
  if (!wanted.patch) return add(group)
  try {
    add(await patched(context, group, { spec: wanted.patch }))
  } catch (error) {
    const { apiVersion, kind, metadata } = group
    const { namespace = '', name } = metadata
    const what = `${kind} ${namespace}/${name}`
    const { outcome, answer } = refusalOf(error, what)
    gathered.documents.push({
      ...{ line: null, apiVersion, kind, namespace, name, outcome, answer },
      sentence: `${what}, which the topology controller would change, cannot be changed so.`,
    })
  }
}

/** The version of a group that a ClusterClass manages is its Cluster's. */
export async function gatherManaged(
  context: PlanContext,
  gathered: Gathered,
  group: KubeObject,
  version: string,
): Promise<Gathered> {
  const { namespace = '', labels = {} } = group.metadata
  const name = labels[CLUSTER_NAME] ?? text(group.spec, 'clusterName') ?? ''
  const apiVersion = `cluster.x-k8s.io/${context.capabilities.resources['clusters.cluster.x-k8s.io'] ?? 'v1beta2'}`
  const what = `Cluster ${namespace}/${name}`
  const document: PlanDocument = {
    ...{ line: null, apiVersion, kind: 'Cluster', namespace, name, outcome: 'changed' },
    sentence: `${group.metadata.name} is managed by a ClusterClass: the version of ${what} would be changed, for all its groups.`,
  }
  gathered.documents.push(document)
  try {
    const resource = parseResource('clusters.cluster.x-k8s.io', apiVersion.split('/')[1]!)
    const live = { ...(await context.client.get(resource, name, namespace)), apiVersion, kind: 'Cluster' }
    const planned = await patched(context, live, { spec: { topology: { version } } })
    await gatherCluster(context, gathered, document, live, planned)
  } catch (error) {
    const { outcome, sentence, answer } = refusalOf(error, `version ${version} for ${what}`)
    Object.assign(document, { outcome, sentence, answer })
  }
  return gathered
}

/** A merge patch of a group, tried on the API server. */
export async function patched(context: PlanContext, group: KubeObject, patch: JsonObject): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = group
  const [apiGroup, version] = apiVersion.split('/') as [string, string]
  const resource = parseResource(`${PLURALS[kind]}.${apiGroup}`, version)
  const planned = await context.client.patch(resource, metadata.name, metadata.namespace, 'merge', patch, {
    dryRun: true,
  })
  return { ...planned, apiVersion, kind }
}
const PLURALS: Record<string, string> = {
  MachineDeployment: 'machinedeployments',
  KubeadmControlPlane: 'kubeadmcontrolplanes',
  Cluster: 'clusters',
}

/** Null where it is not there, or not for Drydock to read. */
async function classOf({ client, capabilities }: PlanContext, cluster: KubeObject): Promise<KubeObject | null> {
  const topology = at(cluster.spec, 'topology')
  const name = text(topology, 'classRef', 'name') ?? text(topology, 'class')
  const namespace =
    text(topology, 'classRef', 'namespace') ?? text(topology, 'classNamespace') ?? cluster.metadata.namespace
  const version = capabilities.resources['clusterclasses.cluster.x-k8s.io']
  if (!name || !version) return null
  try {
    return await client.get({ group: 'cluster.x-k8s.io', version, plural: 'clusterclasses' }, name, namespace)
  } catch (error) {
    if (error instanceof KubeError && [403, 404].includes(error.code)) return null
    throw error
  }
}
