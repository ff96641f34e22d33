import { effectiveManagers, effectiveSkew } from '../../skew/effective'
import {
  afterPass,
  isUpdating,
  endsOn,
  judge,
  names,
  neverThrough,
  notUpdated,
  readsSecrets,
  stopsRecording,
  UNTIL_REPAIRED,
  type Follows,
  type FollowsInput,
} from '../../skew/follows'
import { skewStanza } from '../../skew/patch'
import type { Managers, SkewMode, SkewSpec } from '../../skew/types'
import { spoken, type Judgement } from '../../skew/verdict'
import { assumedIn } from '../arch'
import { putsOff, type Does } from '../by-release'
import { cloudOnly, type CloudOnly } from '../cloud-only'
import { enrolled } from '../enrol'
import type { ImageSet, Outcome } from '../types'
import { MANAGED_SECRET, perhapsSecretWords, secretWords } from '../user-data'
import type { Managing } from './managing'
import { managersAfter, type ManagedWish } from './plan'

/** A machine set as the read model has it: what the controller would do with it if it managed it. */
export interface SetNow extends Pick<ImageSet, 'kind' | 'name' | 'labels' | 'replicas'> {
  state: string
  outcome: Outcome
  reason: string
  current: string | null
  wanted: string | null
}

/** What becomes of one set: user-data is another secret and no other image; left is not managed; open is what only the cloud can tell, or the operator. */
export type SetFate =
  'changes' | 'user-data' | 'stays' | 'skipped' | 'fails' | 'open' | 'not-known' | 'ignored' | 'left'

export interface SetChange {
  kind: ImageSet['kind']
  name: string
  replicas: number
  managedNow: boolean
  managedThen: boolean
  fate: SetFate
  from: string | null
  /** null: its image stays what it is. */
  to: string | null
  words: string
  /** Where it fails: the operator's process ends on it. */
  ends: boolean
}

const FATES: Record<Outcome, SetFate> = {
  update: 'changes',
  unchanged: 'stays',
  ignore: 'ignored',
  skip: 'skipped',
  error: 'fails',
  crash: 'fails',
  undecided: 'open',
  'not-known': 'not-known',
}

/** What a wish would make of each machine set; those that change come first. */
export function setChanges(
  sets: readonly SetNow[],
  now: Managers,
  then: Managers,
  cloud: CloudOnly | null,
  early = false,
): SetChange[] {
  return sets
    .map((set): SetChange => {
      const [managedNow, managedThen] = [now, then].map((managers) => enrolled(managers, set) === true)
      const alone = early && set.outcome === 'update' && set.state !== 'outdated'
      const fate = !managedThen ? 'left' : alone ? 'user-data' : FATES[set.outcome]
      const { kind, name, replicas, current } = set
      const ends = fate === 'fails' && set.outcome === 'crash'
      // A template that is replaced under its own name leaves the set as it is.
      const to = fate === 'changes' || (fate === 'open' && cloud?.skipsOwn) ? set.wanted : null
      return { ...{ kind, name, replicas, fate, to, ends }, from: current, managedNow: managedNow!, managedThen: managedThen!, words: wordsOf(set, fate, managedNow!, cloud) } // prettier-ignore
    })
    .sort((a, b) => ORDER.indexOf(a.fate) - ORDER.indexOf(b.fate) || (a.name < b.name ? -1 : 1))
}
const ORDER: SetFate[] = ['fails', 'changes', 'user-data', 'open', 'not-known', 'skipped', 'ignored', 'stays', 'left']

function wordsOf(
  { reason, outcome, state }: SetNow,
  fate: SetFate,
  managedNow: boolean,
  cloud: CloudOnly | null,
): string {
  const why = reason.replace(OFF, '').trim()
  switch (fate) {
    case 'changes':
      return `New machines start from the image of the release. ${[assumedIn(why), secretWords(why), perhapsSecretWords(why)].filter(Boolean).join(' ')}`.trim()
    case 'stays':
      return state === 'current' ? 'It has the image of the release already.' : why || 'It keeps the image that it has.'
    case 'open':
      if (!cloud) return why
      return `${why} ${cloud.skipsOwn ? 'It is replaced where the operator recognises it, else skipped' : 'It is replaced under its own name where it is outdated'}${cloud.failsWhere ? '; or the operator fails on it' : ''}.`.trim()
    case 'skipped':
      return why
    case 'user-data':
    case 'not-known':
      return `${state === 'current' ? 'It has the image of the release already. ' : ''}${why}`
    case 'ignored':
      return why || 'The operator passes it over.'
    case 'fails':
      return outcome === 'crash' ? `${why} Its process ends there, before it comes to the sets after it.`.trim() : why
    case 'left':
      return managedNow ? 'No longer managed: it keeps the image that it has.' : ''
  }
}
/** As the row says where it is not managed now. */
const OFF = /Boot image updates are off for this set\.$/

export interface ManagedFollows extends Omit<Follows, 'mode'> {
  /** null: this release holds boot images to no limit. */
  mode: SkewMode | null
  sets: SetChange[]
}

/** What a cluster does after a wish: which sets change, which mode and record follow, and what is blocked then. */
export function managedFollows(
  wish: ManagedWish,
  input: FollowsInput & { machineSets: readonly SetNow[]; managing?: Pick<Managing, 'says' | 'none'> },
): ManagedFollows {
  const { state, platform, history, managing = { says: true, none: true } } = input
  const list = managersAfter(wish, state.managers, managing.none)
  const then = managing.says ? effectiveManagers(list, platform, state.effectiveManagers) : list
  const cloud = cloudOnly(platform.type, input.release, history)
  // It never looks into what the secret of a set holds.
  const early = !managing.says
  const sets = setChanges(input.machineSets, state.effectiveManagers, then, cloud, early)
  if (!state.supported || !input.floor) {
    const judgement = judge(input, state.mode ?? 'None', state.recorded, false)
    const sentences = [...countSentences(sets, input), ...imageSentences(sets, { mode: null, cloud, early })]
    return { mode: null, recorded: {}, judgement, sets, sentences }
  }
  const spec = wish.skew ? (skewStanza(wish.skew) as SkewSpec | null) : state.spec
  const before = { mode: state.mode, recorded: state.recorded }
  const entered = effectiveSkew({ spec, managers: list, platform, history, before })
  // On its way to Automatic it is the first pass that everything hangs on, and that tells of the sets itself.
  if (entered.mode === 'Automatic' && state.mode !== 'Automatic') {
    const passed = afterPass(entered.recorded, input)
    // Of an update under way it says more itself.
    const counted = countSentences(sets, input).slice(0, isUpdating(input) ? 1 : undefined)
    return { ...passed, sets, sentences: [...counted, ...passed.sentences] }
  }
  const limit = entered.mode === 'Automatic' ? recordsOn(input, sets) : stays(entered, input, spec !== null)
  const images = [...countSentences(sets, input), ...imageSentences(sets, { mode: entered.mode, cloud, early })]
  return { ...limit, sets, sentences: [...images, ...limit.sentences] }
}

function stays(
  { mode, recorded }: Follows | ReturnType<typeof effectiveSkew>,
  input: FollowsInput,
  acknowledged: boolean,
): Follows {
  // prettier-ignore
  const judgement = judge(input, mode, recorded, acknowledged)
  const leaves = input.state.mode === 'Automatic' ? [stopsRecording(input.state.recorded, recorded)] : []
  const whose =
    mode === 'Manual'
      ? acknowledged
        ? [`The record is an acknowledged version then, ${spoken(recorded)}: it is to be renewed when the floor rises.`]
        : [`The operator records the version that the cluster was installed with, ${spoken(recorded)}, whatever the sets start from.`] // prettier-ignore
      : []
  return { mode, recorded, judgement, sentences: [...leaves, ...whose, judgement.sentence] }
}

/** It is Automatic and stays so: a pass over the sets decides what is recorded. */
function recordsOn(input: FollowsInput, sets: readonly SetChange[]): Follows {
  const { recorded } = input.state
  const follows = (judgement: Judgement, sentence: string): Follows => ({
    ...{ mode: 'Automatic', recorded, judgement },
    sentences: [sentence],
  })
  const { errors, ending } = failing(sets)
  if (ending.length)
    return follows(
      neverThrough(ending),
      `The operator records nothing: ${spoken(recorded)} stays and is not compared, so boot images keep nothing closed meanwhile.`,
    )
  if (errors.length)
    return follows(
      notUpdated(errors, input),
      `The operator records again after a pass that fails on no machine set; until then its record stays at ${spoken(recorded)}.`,
    )
  return follows(
    judge(input, 'Automatic', recorded, false),
    'The operator goes on recording by itself, after each pass over the machine sets.',
  )
}

/** `ending`: where its process ends, of whatever kind. Of a control plane's set nothing is said any more once machine sets are dealt with. */
function failing(sets: readonly SetChange[]): { errors: string[]; planes: string[]; ending: string[] } {
  const errors = sets.filter(({ fate, ends }) => fate === 'fails' && !ends)
  const of = (plane: boolean) => errors.flatMap((s) => ((s.kind !== 'MachineSet') === plane ? [s.name] : []))
  return { errors: of(false), planes: of(true), ending: sets.flatMap((set) => (set.ends ? [called(set)] : [])) }
}

/** The control plane's set is always called “cluster”. */
const called = ({ kind, name }: Pick<SetChange, 'kind' | 'name'>): string =>
  kind === 'MachineSet' ? name : 'the control plane’s set'

/** Three requests to write one status, at five in a second; a pass writes one for each set. */
const SECONDS_EACH = 0.6

const WAITS: Record<Does, string> = {
  yes: 'the operator begins no pass before it is through.',
  some: 'whether the operator waits for its end depends on the build; it may write images before that.',
  no: 'an operator of this release does not wait for its end, and may write images before that.',
}

function countSentences(sets: readonly SetChange[], input: FollowsInput): string[] {
  const machineSets = sets.filter(({ kind }) => kind === 'MachineSet')
  const managed = machineSets.filter(({ managedThen }) => managedThen).length
  const sentences = [
    `${managed} of ${machineSets.length} machine ${machineSets.length === 1 ? 'set' : 'sets'} ${managed === 1 ? 'is' : 'are'} managed then.`,
  ]
  const waits = putsOff(input.history, input.release)
  if (isUpdating(input)) sentences.push(`An update of the cluster is under way: ${WAITS[waits]}`)
  if (waits !== 'yes' && managed > 0)
    sentences.push(
      `A pass over them takes about ${Math.max(1, Math.round(managed * SECONDS_EACH))} s. The operator makes several, one after the other: what it writes begins the next.`,
    )
  return sentences
}

function imageSentences(
  sets: readonly SetChange[],
  { mode, cloud, early }: { mode: SkewMode | null; cloud: CloudOnly | null; early: boolean },
): string[] {
  const of = (...fates: SetFate[]) => sets.filter(({ fate }) => fates.includes(fate)).map(called)
  const dropped = sets.filter((s) => s.managedNow && !s.managedThen).map(called)
  const [changes, open, unknown, skipped] = [of('changes'), of('open'), of('not-known'), of('skipped')]
  const { errors, planes, ending } = failing(sets)
  const sentences: string[] = []
  if (changes.length)
    sentences.push(
      `The operator writes the release’s boot image into ${names(changes)}. Machines that run are not touched; only new ones start from it.`,
    )
  const read =
    early || ending.length ? [] : sets.filter((s) => s.fate === 'changes' && s.kind === 'MachineSet').map(called)
  if (read.length) sentences.push(readsSecrets(read, mode === 'Automatic' ? 'updates are closed' : 'it says Degraded'))
  const swapped = (said: (words: string) => string, where: string): void => {
    const its = sets.flatMap((set) => (set.managedThen && said(set.words) ? [called(set)] : []))
    if (its.length)
      sentences.push(
        `New machines of ${names(its)} start with the user data secret ${MANAGED_SECRET}${where}. What you added to the secret of before is not in that one, and opting out does not bring it back.`,
      )
  }
  swapped(secretWords, open.length ? ', where the image is replaced' : '')
  swapped(perhapsSecretWords, ', where an operator of 4.18 still makes a pass over them')
  if (open.length && cloud) sentences.push(cloud.does(names(open)))
  if (unknown.length) sentences.push(`What the operator does with ${names(unknown)} is not known here.`)
  // Without Automatic a failure closes nothing; the operator says Degraded all the same.
  if (cloud?.failsWhere && sets.some(({ managedThen }) => managedThen))
    sentences.push(
      `It fails where ${cloud.failsWhere}. Then ${mode === 'Automatic' ? 'updates are closed' : 'it says Degraded'} ${UNTIL_REPAIRED}.`,
    )
  if (skipped.length) sentences.push(`${names(skipped)} ${skipped.length === 1 ? 'is' : 'are'} skipped.`)
  if (ending.length) sentences.push(endsOn(ending))
  // An error is said at the end of a pass, and no pass comes to it where its process ends.
  if (errors.length && ending.length) sentences.push(`${names(errors)} cannot be dealt with, either.`)
  else if (errors.length)
    sentences.push(
      `${names(errors)} cannot be dealt with: the operator says Degraded${mode === 'Automatic' ? ', and updates are closed,' : ''} ${UNTIL_REPAIRED}.`,
    )
  if (planes.length)
    sentences.push(`The control plane’s set ${names(planes)} cannot be dealt with; that alone closes nothing.`)
  if (dropped.length)
    sentences.push(`Nothing is taken back: ${names(dropped)} keep${dropped.length === 1 ? 's' : ''} the image of now.`)
  return sentences
}
