import { same } from '@/lib/domain/changes'
import { parseResource } from '@/lib/kubernetes/paths'
import type { KubeObject } from '@/lib/kubernetes/types'
import { infrastructureRefOf, refOf, type Ref } from '@/lib/providers/cluster-api/changes'
import { text } from '@/lib/providers/fields'
import { gatherCluster, patched } from './cluster'
import type { PlanContext } from './context'
import { ServiceError } from '../errors'
import { MOST_DOCUMENTS, readDocuments, type Given } from './documents'
import { dryRun } from './dry-run'
import { addSubject, keyOf, type Gathered } from './subjects'
import type { PlanDocument } from './types'
import { refusalOf } from './words'

const AT_ONCE = 4

/** Every document tried on the API server, and the groups that they are about. */
export async function gather(context: PlanContext, manifests: string): Promise<Gathered> {
  const { given, wrong } = readDocuments(manifests)
  if (given.length > MOST_DOCUMENTS)
    throw new ServiceError(
      'invalid',
      `These are ${given.length} documents; at most ${MOST_DOCUMENTS} are planned at once.`,
    )
  const gathered: Gathered = {
    documents: wrong.map((one): PlanDocument => ({ ...one, outcome: 'invalid' })),
    subjects: new Map(),
    templates: [],
  }
  const tried = await inTurn(given, (one) => tryOne(context, one))
  for (const { document, planned } of tried) {
    gathered.documents.push(document)
    if (planned && planned.given.concern === 'template') gathered.templates.push(planned.object)
  }
  oneVersionEach(gathered)
  const done = tried.flatMap(({ document, planned }) => (planned ? [{ document, ...planned }] : []))
  for (const {
    given: { concern },
    object,
    live,
  } of done)
    if (concern === 'group')
      addSubject(gathered, { planned: object, live, undetermined: [], notes: managedNotes(object) })
  for (const {
    given: { concern },
    document,
    object,
    live,
  } of done)
    if (concern === 'cluster') await gatherCluster(context, gathered, document, live, object)
  for (const {
    given: { concern },
    document,
    object,
    live,
  } of done)
    if (concern === 'template') await gatherTemplate(context, gathered, document, live, object)
  await nameUsers(
    context,
    tried.filter(({ planned }) => !planned).map(({ document }) => document),
  )
  gathered.documents.sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity))
  return gathered
}

interface Tried {
  document: PlanDocument
  planned: { given: Given; object: KubeObject; live: KubeObject | null } | null
}

const WORDS: Record<'beside' | 'unplanned', string> = {
  beside: 'This does not concern machines: it was not tried on the API server.',
  unplanned:
    'This may concern machines, but Drydock plans MachineDeployments, KubeadmControlPlanes, templates and ClusterClass-managed Clusters only.',
}

async function tryOne(context: PlanContext, given: Given): Promise<Tried> {
  const { line, apiVersion, kind, namespace, name, concern } = given
  const named = { line, apiVersion, kind, namespace, name }
  const say = (outcome: PlanDocument['outcome'], sentence: string, answer?: string): Tried => ({
    document: {
      ...named,
      outcome,
      sentence,
      ...(outcome === 'invalid' ? { errorLine: line } : {}),
      ...(answer ? { answer } : {}),
    },
    planned: null,
  })
  if (concern === 'beside' || concern === 'unplanned')
    return say(concern === 'beside' ? 'beside' : 'unknown', WORDS[concern])
  const what = `${kind} ${namespace}/${name}`
  try {
    const resource = await context.resourceOf(apiVersion, kind)
    if (!resource)
      return say(
        'invalid',
        `${context.clusterName} does not serve ${kind} in ${apiVersion}. Look at how the kind and its version are written.`,
      )
    const { live, planned } = await dryRun(context.client, resource, given.object)
    const object = { ...planned, apiVersion, kind }
    const changed = !live || !same(live.spec, planned.spec)
    const outcome = live ? (changed ? 'changed' : 'unchanged') : 'new'
    const sentence = {
      new: `${what} does not exist yet: it would be created.`,
      changed: `${what} would be changed.`,
      unchanged: `${what} is so already.`,
    }[outcome]
    const { document } = say(outcome, sentence)
    return { document, planned: { given, object, live } }
  } catch (error) {
    const { outcome, sentence, answer } = refusalOf(error, what)
    return say(outcome, sentence, answer)
  }
}

/** A kind is compared in one version: two of them would differ by how they are written. */
function oneVersionEach(gathered: Gathered): void {
  const versions = new Map<string, string>()
  gathered.templates = gathered.templates.filter(({ apiVersion, kind, metadata }) => {
    const known = versions.get(`${apiVersion.split('/')[0]} ${kind}`) ?? apiVersion
    versions.set(`${apiVersion.split('/')[0]} ${kind}`, known)
    if (known === apiVersion) return true
    const document = gathered.documents.find(
      (d) => d.kind === kind && d.namespace === metadata.namespace && d.name === metadata.name,
    )
    if (document)
      Object.assign(document, {
        outcome: 'invalid',
        ...(document.line === null ? {} : { errorLine: document.line }),
        sentence: `${kind} stands in ${known} above, and here in ${apiVersion}: write all of them in one version.`,
      } satisfies Partial<PlanDocument>)
    return false
  })
}

const OWNED = 'topology.cluster.x-k8s.io/owned'

const managedNotes = (object: KubeObject): string[] =>
  OWNED in (object.metadata.labels ?? {})
    ? [
        'It is managed by a ClusterClass: the topology controller takes back what the Cluster does not say. Plan the Cluster instead.',
      ]
    : []

const refersTo =
  ({ apiVersion, kind, metadata }: { apiVersion: string; kind: string; metadata: { name: string } }) =>
  (group: KubeObject): boolean =>
    refsOf(group).some(
      (ref) => ref.group === apiVersion.split('/')[0] && ref.kind === kind && ref.name === metadata.name,
    )

function refsOf(group: KubeObject): Ref[] {
  const refs =
    group.kind === 'KubeadmControlPlane'
      ? [infrastructureRefOf(group)]
      : [
          refOf(group.spec, 'template', 'spec', 'infrastructureRef'),
          refOf(group.spec, 'template', 'spec', 'bootstrap', 'configRef'),
        ]
  return refs.filter((ref) => ref !== null)
}

/** Groups that a template touches although they were not given themselves. */
async function gatherTemplate(
  context: PlanContext,
  gathered: Gathered,
  document: PlanDocument,
  live: KubeObject | null,
  template: KubeObject,
): Promise<void> {
  const refers = refersTo(template)
  const changed = live !== null && !same(live.spec, template.spec)
  const note = `${template.kind} ${template.metadata.name} is changed under its name. Cluster API compares templates by name: machines that are there stay as they are, and those that are created from then on get the new content.`
  const users: string[] = []
  for (const group of await context.groupsIn(template.metadata.namespace ?? '')) {
    const given = gathered.subjects.get(keyOf(group))
    if (given?.planned ? !refers(given.planned) : !refers(group)) continue
    users.push(group.metadata.name)
    if (changed || !live)
      addSubject(gathered, { planned: group, live: group, undetermined: [], notes: changed ? [note] : [] })
  }
  const others = [...gathered.subjects.values()].filter(
    ({ live: there, planned }) => !there && planned && refers(planned),
  )
  users.push(...others.map(({ planned }) => planned!.metadata.name))
  document.sentence +=
    users.length > 0 ? ` ${listed(users)} ${users.length === 1 ? 'uses' : 'use'} it.` : ' No group uses it.'
}

const listed = (names: string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`

/** Of a template that was refused: who uses the one that is there. */
async function nameUsers(context: PlanContext, documents: PlanDocument[]): Promise<void> {
  for (const document of documents) {
    const { apiVersion, kind, namespace, name, answer } = document
    if (document.outcome !== 'invalid' || !answer || !kind.endsWith('Template')) continue
    const users = (await context.groupsIn(namespace)).filter(refersTo({ apiVersion, kind, metadata: { name } }))
    if (users.length > 0)
      document.sentence += ` ${listed(users.map((group) => group.metadata.name))} ${users.length === 1 ? 'uses' : 'use'} it: give a template under a new name, and point the group to it.`
  }
}

/** Some at a time, the answers in order. */
async function inTurn<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await act(items[i]!)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker))
  return results
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
const CLUSTER_NAME = 'cluster.x-k8s.io/cluster-name'
