import { maskedAnswer, same } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { gatherCluster } from './cluster'
import { OWNED, type PlanContext } from './context'
import { ServiceError } from '../errors'
import { MOST_DOCUMENTS, readDocuments, type Given } from './documents'
import { dryRun } from './dry-run'
import { addSubject, type Gathered } from './subjects'
import { gatherTemplate, nameUsers } from './templates'
import { inTurn } from './in-turn'
import { mayBeMistyped, type Concern } from './kinds'
import type { PlanDocument } from './types'
import { refusalOf } from './words'

/** Every document tried on the API server, and the groups that they are about. */
export async function gather(context: PlanContext, manifests: string): Promise<Gathered> {
  const { given, wrong } = readDocuments(manifests)
  if (given.length + wrong.length === 0)
    throw new ServiceError('invalid', 'There is no manifest in it: nothing but comments or separators.', {
      fields: [{ field: 'manifests', message: 'Paste at least one manifest.' }],
    })
  if (given.length + wrong.length > MOST_DOCUMENTS)
    throw new ServiceError('invalid', `These are more than ${MOST_DOCUMENTS} documents: plan them in parts.`)
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
  const about = (concern: Concern) => done.filter(({ given }) => given.concern === concern)
  for (const { object, live } of about('group'))
    addSubject(gathered, { planned: object, live, undetermined: [], notes: managedNotes(object) })
  for (const { document, object, live } of about('cluster'))
    await gatherCluster(context, gathered, document, live, object)
  for (const { document, object, live } of about('template'))
    await gatherTemplate(context, gathered, document, live, object)
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

const FORCED =
  'A server-side apply is refused until it is forced, as others set some of these fields since. This is planned as if it were.'

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
  const what = `${kind} ${namespace}/${name}`
  const aside = concern === 'beside' || concern === 'unplanned'
  try {
    const looked = !aside || mayBeMistyped(apiVersion, kind)
    const served = looked && apiVersion.includes('/') ? await context.resourceOf(apiVersion, kind) : null
    const resource = looked ? served : undefined
    if (resource === null)
      return say(
        'invalid',
        `${context.clusterName} does not serve ${kind} in ${apiVersion}. Look at how the kind and its version are written.`,
      )
    if (aside || !resource)
      return say(concern === 'unplanned' ? 'unknown' : 'beside', WORDS[aside ? concern : 'beside'])
    const { live, planned, conflict } = await dryRun(context.client, resource, given.object)
    const object = { ...planned, apiVersion, kind }
    const changed = !live || !same(live.spec, planned.spec)
    const relabelled = live !== null && !changed && !same(wordsOf(live), wordsOf(planned))
    const outcome = live ? (changed || relabelled ? 'changed' : 'unchanged') : 'new'
    const sentence = {
      new: `${what} does not exist yet: it would be created.`,
      changed: `${what} would be changed${relabelled ? ', in its own labels and annotations only' : ''}.`,
      unchanged: `${what} is so already.`,
    }[outcome]
    const { document } = conflict
      ? say(outcome, `${sentence} ${FORCED}`, maskedAnswer(conflict))
      : say(outcome, sentence)
    return { document, planned: { given, object, live } }
  } catch (error) {
    const { outcome, sentence, answer } = refusalOf(error, what)
    return say(outcome, sentence, answer)
  }
}

const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** An object's own labels and annotations, without what kubectl keeps there. */
function wordsOf({ metadata }: KubeObject): JsonObject {
  const { [APPLIED]: _applied, ...annotations } = metadata.annotations ?? {}
  return { labels: metadata.labels ?? {}, annotations }
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

const managedNotes = (object: KubeObject): string[] =>
  OWNED in (object.metadata.labels ?? {})
    ? [
        'It is managed by a ClusterClass: the topology controller takes back what the Cluster does not say. Plan the Cluster instead.',
      ]
    : []
