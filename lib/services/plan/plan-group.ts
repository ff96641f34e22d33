import { db } from '@/lib/db/client'
import { isAsked, summaryOf, versionsOf, type ChangeSet } from '@/lib/domain/changes'
import { spareComes } from '@/lib/domain/changes/machines-of'
import { deletedOutlook, groupVerdict, newOutlook, unchangedOutlook, wayOf } from '@/lib/domain/plan'
import type { Plane } from '@/lib/domain/rollout/preflight'
import { HELD } from '@/lib/domain/latch/names'
import type { Verdict } from '@/lib/domain/verdict'
import { downWords } from '@/lib/domain/version'
import {
  afterWords,
  changeOf,
  overlaySource,
  rolloutAfter,
  strategyOf,
  type Compared,
} from '@/lib/providers/cluster-api/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { count, text } from '@/lib/providers/fields'
import { plannedOf } from '../changes/planned'
import { endlessOf, infrastructureNotes, preflightOf } from '../forecast/preflight'
import { coverageOf, type Known } from '../updaters/coverage'
import { askableOf, inOrder } from '../updaters/for-cluster'
import type { PlanContext } from './context'
import { courseOf } from './course'
import { shownMachines, withNew } from './hull'
import { plannedHold } from './held-by'
import { planPolicy } from './plan-policy'
import type { Gathered, Subject } from './subjects'
import type { PlanGroup } from './types'
import { OPEN } from '../changes/states'

const LATE = 'The updaters were not asked about this group: others took all the time. Plan it by itself.'
const NOTHING: ChangeSet = { pairs: [], fields: [] }

/** What the plan would do to one group, computed as for a change that waits: nothing is stored, and nothing is applied. */
export async function planGroup(
  context: PlanContext,
  subject: Subject,
  gathered: Pick<Gathered, 'subjects' | 'templates'>,
): Promise<PlanGroup> {
  const group = (subject.planned ?? subject.live)!
  if (!subject.live) return newGroup(group, subject)
  if (!subject.planned) return deletedGroup(context, group, subject)
  const unread = otherVersion(context, group)
  const { kind, namespace, workloadCluster } = { kind: group.kind, ...identity(group, subject) }
  const mayBeAsked = askableOf(context.updaters, { kind, namespace, workloadCluster })
  const governed = {
    clusterId: context.clusterId,
    groupKind: kind,
    groupName: group.metadata.name,
    namespace,
    workloadCluster,
  }
  const askable = await inOrder(mayBeAsked.updaters, mayBeAsked.unknown, governed)
  const { updaters } = askable
  const unsaid = unread ?? askable.unknown
  const look = async ({ question }: Compared): Promise<Known | null> => {
    if (subject.undetermined.length > 0) return { coverage: { unknown: subject.undetermined[0]! }, by: new Map() }
    if (unsaid) return { coverage: { unknown: unsaid }, by: new Map() }
    if (Date.now() > context.askUntil) return { coverage: { unknown: LATE }, by: new Map() }
    return question ? coverageOf(updaters, question) : null
  }
  const { clusterId, capabilities, gate } = context
  const source = overlaySource(context.sourceFor(group), gathered.templates)
  const change = await changeOf(group, source, isDateNew(subject.planned, subject.live))
  const planned = await plannedOf(
    { clusterId, capabilities, gate, updaters: updaters.map(({ name }) => name), look },
    change,
  )
  const unknown = subject.undetermined[0]
  const told = (source: string): { verdict: Verdict; reason: string } | null =>
    planned.verdicts.get(source) ?? (unknown ? { verdict: 'unknown', reason: unknown } : null)
  const { counts, ...shown } = await shownMachines(keyOf(context, group), told)
  const { pairs } = planned.changeSet
  const idle = pairs.length === 0
  // What no watch has brought yet is counted by the controllers.
  const there = planned.machines || (count(subject.live.status, 'replicas') ?? 0)
  const outlook = idle ? unchangedOutlook(group.metadata.name, change.replicas, there, unknown) : planned.outlook
  const verdict = groupVerdict({
    pairs,
    outlook,
    counts: tallied(counts, planned.verdicts),
    undetermined: subject.undetermined,
  })
  const way = wayOf(outlook)
  const spare = spareComes(way) ? 1 : 0
  const gated = context.registered && pairs.some(isAsked)
  const planning = {
    ...identity(group, subject),
    groupId: subject.live.metadata.uid,
    what: whatOf(unknown !== undefined, idle, way.created + way.deleted),
    verdict,
    ...said(planned.changeSet, outlook),
    summary: idle ? scaling(change.replicas, there) : summaryOf(planned.changeSet),
    fingerprint: change.fingerprint,
    machines: there,
    changeSet: planned.changeSet,
    ...shown,
    hull: withNew(withNew(shown.hull, spare, 'the spare machine'), way.added ?? 0, 'wanted besides'),
    heldBy: idle ? 'none' : plannedHold(context, subject.live, group, gated),
    notes: [
      ...new Set([
        ...subject.notes,
        ...(unread ? [unread] : []),
        ...downNote(planned.changeSet),
        ...dateNote(group),
        ...strategyNote(group, subject.live),
      ]),
    ],
    waiting: await waitingFor(context, subject.live, change.fingerprint),
  }
  const version = text(group.spec, 'version') ?? text(group.spec, 'template', 'spec', 'version')
  const workers = { ...planning, clusterId: context.clusterId, version }
  // What nothing holds, no policy holds.
  const policy = planning.heldBy === 'none' ? null : await planPolicy(workers, outlook)
  const course = await courseOf(context, group, { ...planning, policy })
  const preflight = await preflightOf(workers, course && mostCreating(course), planeIn(gathered.subjects, planning))
  const infrastructure = infrastructureNotes(group.kind, planned.changeSet, outlook)
  return {
    ...planning,
    notes: [...planning.notes, ...endlessOf(planned.changeSet), ...infrastructure, ...preflight],
    policy,
    course,
  }
}

/** The control plane as the same plan leaves it, where it is in it. */
function planeIn(
  subjects: Gathered['subjects'],
  workers: Pick<PlanGroup, 'namespace' | 'workloadCluster'>,
): Omit<Plane, 'topology'> | null {
  for (const { planned, live, ...subject } of subjects.values()) {
    if (planned?.kind !== 'KubeadmControlPlane') continue
    const { namespace, workloadCluster } = identity(planned, { planned, live, ...subject })
    if (namespace !== workers.namespace || workloadCluster !== workers.workloadCluster) continue
    const [version, before] = [text(planned.spec, 'version'), text(live?.spec, 'version')]
    return { name: planned.metadata.name, version, changing: version !== before ? 'planned' : false }
  }
  return null
}

/** Either way may be approved. */
const mostCreating = ({ inPlace, replace }: NonNullable<PlanGroup['course']>) =>
  (inPlace?.created ?? 0) >= (replace?.created ?? 0) ? inPlace : replace

/** A date that is planned is shown with what it will do; one that was let go does nothing new. */
export const isDateNew = (planned: KubeObject, live: KubeObject): boolean =>
  HELD in (live.metadata.annotations ?? {}) || rolloutAfter(planned) !== rolloutAfter(live)

/** A date ahead moves nothing now where nothing holds the group, and everything then. */
function dateNote(group: KubeObject): string[] {
  const after = rolloutAfter(group)
  return after !== null && Date.parse(after) > Date.now() ? [afterWords(after)] : []
}

/** It stands in no machine, and decides how they move. */
function strategyNote(planned: KubeObject, live: KubeObject): string[] {
  const [type, before] = [strategyOf(planned).type, strategyOf(live).type]
  return type === before ? [] : [`Its strategy becomes ${type}; it is ${before}.`]
}

function downNote({ fields }: ChangeSet): string[] {
  const { from, to } = versionsOf(fields)
  const words = downWords(from, to)
  return words ? [words] : []
}

const whatOf = (unknown: boolean, idle: boolean, scaled: number): PlanGroup['what'] =>
  !idle ? 'changed' : unknown ? 'unknown' : scaled === 0 ? 'unchanged' : 'changed'

const scaling = (wanted: number, there: number): string =>
  wanted === there ? 'nothing that makes a machine outdated' : `${there} → ${wanted} machines`

/** Also where no machine has a row yet: the revisions count. */
function tallied(counts: Record<string, number>, verdicts: ReadonlyMap<string, { verdict: Verdict }>) {
  if (Object.keys(counts).length > 0) return counts
  const all: Partial<Record<Verdict, number>> = {}
  for (const { verdict } of verdicts.values()) all[verdict] = (all[verdict] ?? 0) + 1
  return all
}

function said(changeSet: ChangeSet, outlook: PlanGroup['outlook']) {
  const { from, to } = versionsOf(changeSet.fields)
  return { fromVersion: from, toVersion: to, headline: wayOf(outlook).headline, outlook }
}

const keyOf = ({ clusterId }: PlanContext, { kind, metadata }: KubeObject) => ({
  ...{ clusterId, kind, namespace: metadata.namespace ?? '', name: metadata.name },
})

const identity = (group: KubeObject, { undetermined, notes }: Subject) => ({
  groupKind: group.kind,
  namespace: group.metadata.namespace ?? '',
  groupName: group.metadata.name,
  workloadCluster: text(group.spec, 'clusterName') ?? group.metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '',
  fingerprint: '',
  fromVersion: null,
  toVersion: null,
  changeSet: NOTHING,
  machinesList: [],
  heldBy: 'none' as const,
  undetermined: [...new Set(undetermined)],
  notes: [...new Set(notes)],
  waiting: null,
  policy: null,
  course: null,
})

function newGroup(group: KubeObject, subject: Subject): PlanGroup {
  const replicas = count(group.spec, 'replicas') ?? 1
  const outlook = newOutlook(group.metadata.name, replicas)
  const version = text(group.spec, 'version') ?? text(group.spec, 'template', 'spec', 'version')
  return {
    ...identity(group, subject),
    ...{ groupId: null, what: 'new', verdict: 'nothing', machines: 0, outlook, headline: outlook.replace.headline },
    summary: `a new group${version ? `, ${version}` : ''}`,
    toVersion: version,
    hull: withNew(null, replicas, 'it would be created'),
  }
}

async function deletedGroup(context: PlanContext, group: KubeObject, subject: Subject): Promise<PlanGroup> {
  const reason = 'Its group would be deleted.'
  const { counts: _counts, ...shown } = await shownMachines(keyOf(context, group), () => ({
    verdict: 'replace',
    reason,
  }))
  const machines = shown.hull.total || (count(group.status, 'replicas') ?? 0)
  const outlook = deletedOutlook(group.metadata.name, machines)
  return {
    ...identity(group, subject),
    ...{
      groupId: group.metadata.uid,
      what: 'deleted',
      machines,
      outlook,
      headline: outlook.replace.headline,
      ...shown,
    },
    verdict: machines > 0 ? 'replace' : 'nothing',
    summary: 'the group goes',
    waiting: await waitingFor(context, group),
  }
}

/** Asking an updater needs the objects as Cluster API would send them. */
function otherVersion({ capabilities }: PlanContext, { apiVersion, kind }: KubeObject): string | null {
  const [group, version] = apiVersion.split('/') as [string, string]
  const plural = kind === 'KubeadmControlPlane' ? 'kubeadmcontrolplanes' : 'machinedeployments'
  const read = capabilities.resources[`${plural}.${group}`]
  if (!read || read === version) return null
  return `It is written in ${apiVersion}. Updaters are asked in ${read}: write it in ${read} to learn what they cover.`
}

/** A change of the group that is not over: another one, or this very one. */
async function waitingFor(
  { clusterId }: PlanContext,
  live: KubeObject,
  fingerprint = '',
): Promise<PlanGroup['waiting']> {
  const found = await db().change.findFirst({
    where: { clusterId, groupId: live.metadata.uid, state: { in: OPEN } },
    orderBy: { detectedAt: 'desc' },
    select: { id: true, summary: true, fingerprint: true },
  })
  return found && { id: found.id, summary: found.summary, same: found.fingerprint === fingerprint }
}
