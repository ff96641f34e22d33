import { cloudOnly } from '../boot-images/cloud-only'
import { effectiveSkew, managesAll, managesBootImages } from './effective'
import type { Floor } from './floors'
import { manageAllSets, type SkewRequest } from './patch'
import type { HistoryEntry, Platform, Recorded, SkewMode, SkewState } from './types'
import { skewVerdict, spoken, standing, type Judgement } from './verdict'

export interface FollowsInput {
  state: SkewState
  platform: Platform
  history: readonly HistoryEntry[] | undefined
  floor: Floor | null
  release: string | null
  /** ConfigMap releaseVersion as x.y.z, where it is a release: what a clean pass records. */
  streamVersion: string | null
  /** What it records where that is none; absent where it was stored before. */
  placeholder?: string | null
  /** What the controller would do with the machine sets that it would then manage. `ending`: of the failing, those on which its process ends; `unknown`: what becomes of them is not known here; both absent on what was stored before they were told apart. */
  sets: {
    skipped: string[]
    failing: string[]
    ending?: string[]
    undecided: string[]
    unknown?: string[]
    outdated: string[]
  }
}

export interface Follows {
  mode: SkewMode
  recorded: Recorded
  judgement: Judgement
  /** What happens then, in order. */
  sentences: string[]
}

/** What a cluster does after one of the three actions. */
export function whatFollows(request: SkewRequest, input: FollowsInput): Follows {
  if (request.action === 'automatic') return afterReturn(request, input)
  const stanza =
    request.action === 'opt-out'
      ? { mode: 'None' as const, recorded: {} }
      : {
          mode: 'Manual' as const,
          recorded:
            request.versionKind === 'RHCOSVersion'
              ? { rhcosVersion: request.version }
              : { ocpVersion: request.version },
        }
  const judgement = judge(input, stanza.mode, stanza.recorded, true)
  const sentences = [judgement.sentence]
  if (input.state.mode === 'Automatic')
    sentences.push(
      `${stopsRecording(input.state.recorded, stanza.recorded)} Machine sets go on being updated as configured.`,
    )
  if (request.action === 'opt-out')
    sentences.push(
      `${input.state.mode === 'None' ? 'Enforcement is off already: nobody warns' : 'Nobody warns any more'} when boot images grow too old: after an update, new machines from an old image may fail to join.`,
      alertsOfNone(input.platform)
        ? 'The alert MCCBootImageSkewEnforcementNone (info) fires while enforcement is off.'
        : 'No alert says that enforcement is off: on bare metal and single nodes the operator raises none.',
    )
  else {
    if (input.state.mode === 'None' && judgement.verdict !== 'not-enforced')
      sentences.push(
        judgement.blocks
          ? 'Enforcement begins with it, and this version is below the floor already.'
          : 'Enforcement begins with it: updates close as soon as this version falls below the floor.',
      )
    sentences.push('Nothing verifies the version: it is your word, and it has to be renewed when the floor rises.')
  }
  return { ...stanza, judgement, sentences }
}

/** `then`: what is recorded after it. */
export function stopsRecording(now: Recorded, then: Recorded): string {
  const kept = spoken(now) === spoken(then)
  return `The operator stops recording by itself${kept ? '' : `; what it recorded, ${spoken(now)}, is not kept`}.`
}

/** Its gauge stays 0 on bare metal and on single nodes (mcc_boot_image_skew_enforcement_none, pkg/controller). */
const alertsOfNone = ({ type, topology }: Platform): boolean => type !== 'BareMetal' && topology !== 'SingleReplica'

function afterReturn(request: SkewRequest, input: FollowsInput): Follows {
  const managers = request.manageAll ? manageAllSets(request.manageAll.current) : input.state.managers
  const before = { mode: input.state.mode, recorded: input.state.recorded }
  const entered = effectiveSkew({ spec: null, managers, platform: input.platform, history: input.history, before })
  const bareMetal = input.platform.type === 'BareMetal' && input.platform.provisioningUrl === undefined
  if (entered.mode !== 'Automatic') {
    const judgement = judge(input, entered.mode, entered.recorded, false)
    const sentences = [`The cluster arrives at ${entered.mode}. ${entered.why}`]
    if (bareMetal)
      sentences.push(
        'Where Provisioning/provisioning-configuration has a provisioningOSDownloadURL, it arrives at Manual with the install version instead; Drydock cannot read that object.',
      )
    if (!input.platform.type && managesAll(managers))
      sentences.push('Where the operator updates boot images on this platform, it arrives at Automatic instead.')
    sentences.push(judgement.sentence)
    if (entered.mode === 'Manual' && managesBootImages(input.platform) && !managesAll(managers))
      sentences.push('To arrive at Automatic, have all machine sets managed in the same patch.')
    return { ...entered, judgement, sentences }
  }
  return afterPass(entered.recorded, input)
}

/** Whether an update of the cluster is under way: where the operator holds images to a limit it begins no pass until that is through. */
export const isUpdating = ({ history }: Pick<FollowsInput, 'history'>): boolean => history?.[0]?.state === 'Partial'

/** Automatic: the record starts at the install version, then the controller's first pass decides, which an update under way puts off. */
export function afterPass(entered: Recorded, input: FollowsInput): Follows {
  const passed = atPass(entered, input)
  if (!isUpdating(input)) return passed
  const [arrives, ...rest] = passed.sentences
  const now = judge(input, 'Automatic', entered, false)
  const until = `No pass begins while an update of the cluster is under way, and until one has, this stands: ${now.sentence}`
  const sentences = [arrives!, until, ...rest.filter((sentence) => sentence !== PASSES)]
  return { ...passed, ...(now.blocks && { recorded: entered, judgement: now }), sentences }
}
const PASSES = 'For some seconds around the first pass the cluster reports that updates are closed; that passes.'

function atPass(entered: Recorded, input: FollowsInput): Follows {
  const { skipped, failing, ending = [], undecided, unknown = [], outdated } = input.sets
  const sentences = [
    `The cluster arrives at Automatic, recording ${spoken(entered)} until the operator has gone through the machine sets.`,
  ]
  if (outdated.length)
    sentences.push(
      `It writes the release’s boot image into ${names(outdated)}; running machines are not touched.`,
      readsSecrets(outdated, 'updates are closed'),
    )
  const cloud = cloudOnly(input.platform.type, input.release, input.history)
  if (cloud && undecided.length) sentences.push(cloud.does(names(undecided)))
  if (unknown.length)
    sentences.push(`What the operator does with ${names(unknown)} is not known here, and so not what it records.`)
  const maySkip = unknown.length > 0 || (undecided.length > 0 && (cloud?.skipsOwn ?? false))
  const install = effectiveSkew({
    spec: null,
    managers: undefined,
    platform: input.platform,
    history: input.history,
    before: { mode: null, recorded: {} },
  }).recorded
  const fallsBelow = input.floor && standing(install, input.floor) === 'below'
  if (ending.length) {
    const judgement = neverThrough(ending)
    return { mode: 'Automatic', recorded: entered, judgement, sentences: [...sentences, judgement.sentence] }
  }
  if (failing.length) {
    const stays =
      skipped.length > 0 && fallsBelow
        ? ` They stay closed after that, for ${names(skipped)} will be skipped, and the record falls back to ${spoken(install)}, below the floor.`
        : ''
    const judgement = notUpdated(failing, input, stays)
    return { mode: 'Automatic', recorded: entered, judgement, sentences: [...sentences, judgement.sentence, TRIES] }
  }
  if (skipped.length) {
    sentences.push(
      `${names(skipped)} will be skipped, and with any set skipped the record falls back to the version that the cluster was installed with.`,
    )
    return arrived(install, 'Where it does not fail')
  }
  const records = input.streamVersion ?? input.placeholder
  const recorded = records ? { ocpVersion: records } : entered
  if (undecided.length && cloud?.skipsOwn)
    sentences.push(
      `If one of ${names(undecided)} has an image of your own, it is skipped and the record stays at ${spoken(install)}${fallsBelow ? ', below the floor' : ''}.`,
    )
  if (fallsBelow) sentences.push(PASSES)
  if (cloud?.failsWhere)
    sentences.push(`It fails where ${cloud.failsWhere}. Then updates are closed ${UNTIL_REPAIRED}.`)
  return arrived(
    recorded,
    cloud?.failsWhere || unknown.length
      ? `Where ${maySkip ? 'no set fails or is skipped' : 'no set fails'}`
      : maySkip
        ? 'Where no set is skipped'
        : 'Where it does not fail',
  )

  /** That updates stay open is only so where nothing fails, and nothing is skipped. */
  function arrived(at: Recorded, where: string): Follows {
    const found = judge(input, 'Automatic', at, false)
    const mayFail = sentences.some((sentence) => sentence.includes(UNTIL_REPAIRED))
    const judgement =
      (mayFail || maySkip) && !found.blocks ? { ...found, sentence: `${where}: ${found.sentence}` } : found
    const said = [...sentences, ...(mayFail ? [TRIES] : []), judgement.sentence]
    return { mode: 'Automatic', recorded: at, judgement, sentences: said }
  }
}

/** What an error at some sets comes to in Automatic. */
export const notUpdated = (failing: string[], input: FollowsInput, stays = ''): Judgement => ({
  verdict: 'update-failing',
  sentence: `${names(failing)} cannot be updated, so updates are closed ${UNTIL_REPAIRED}.${stays}`,
  blocks: judge(input, 'Automatic', { ocpVersion: '0.0.0' }, false).blocks,
})

/** A process that ends says nothing of it, and begins anew by itself. */
export const endsOn = (ending: string[]): string =>
  `The operator’s process ends on ${names(ending)}, again and again until that is repaired, so no pass comes to its end. It does not say Degraded for that.`

/** What that comes to in Automatic: while a pass is under way no record is compared. */
export const neverThrough = (ending: string[]): Judgement => ({
  verdict: 'evaluating',
  sentence: `${endsOn(ending)} Its record is not compared meanwhile, and boot images keep nothing closed.`,
  blocks: null,
})

/** Of sets whose image it replaces: each is to start with a secret that the new image can read. */
export const readsSecrets = (outdated: string[], then: string): string =>
  `For that it reads the user data ${outdated.length === 1 ? 'secret' : 'secrets'} of ${names(outdated)}, which Drydock may not: where one is missing or cannot be converted it fails, and ${then} ${UNTIL_REPAIRED}.`

/** Only an event makes the operator try a set again that failed; a secret or a credential is none. */
export const UNTIL_REPAIRED = 'until that is repaired and another pass begins'
const TRIES =
  'The operator tries nothing again by itself: after the repair an annotation on any machine set begins a pass.'

/** How a cluster stands that has come to a mode and a record, and in which no pass is under way. */
export const judge = (input: FollowsInput, mode: SkewMode, recorded: Recorded, acknowledged: boolean): Judgement =>
  skewVerdict(
    {
      ...input.state,
      mode,
      recorded,
      spec: acknowledged ? { mode, manual: recorded } : null,
      conditions: [{ type: 'BootImageUpdateProgressing', status: 'False' }],
    },
    input.floor,
    input.release,
  )

export const names = (list: string[]): string =>
  list.length === 1
    ? list[0]!
    : list.length < 5
      ? `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`
      : `${list.length} machine sets`
