import { passCounts } from '../boot-images/counts'
import { causesOf } from '../boot-images/errors'
import { isUnsure, type Floor } from './floors'
import { conditionOf, type Recorded, type SkewState, type VersionKind } from './types'
import { controllerState } from './upgradeable'
import { below, minorOf, parseVersion, rhelOf } from './version'

export const SKEW_VERDICTS = [
  'out-of-skew',
  'update-failing',
  'unknown',
  'evaluating',
  'not-enforced',
  'unsupported-release',
  'ok',
] as const
export type SkewVerdict = (typeof SKEW_VERDICTS)[number]

export interface Judgement {
  verdict: SkewVerdict
  /** One or two short sentences for people. */
  sentence: string
  /** What it blocks, or null where nothing is blocked. */
  blocks: string | null
}

/** The version that counts: where both are recorded, only the OCP version is compared. */
export function decisive(recorded: Recorded): { kind: VersionKind; version: string } | null {
  if (recorded.ocpVersion) return { kind: 'OCPVersion', version: recorded.ocpVersion }
  return recorded.rhcosVersion ? { kind: 'RHCOSVersion', version: recorded.rhcosVersion } : null
}

/** Where a recorded version stands against the floor; unreadable ones are let through by the operator. */
export function standing(
  recorded: Recorded,
  floor: Pick<Floor, 'ocp' | 'rhel'>,
): 'below' | 'above' | 'unreadable' | 'nothing' {
  const counts = decisive(recorded)
  if (!counts) return 'nothing'
  const [version, limit] =
    counts.kind === 'OCPVersion' ? [counts.version, floor.ocp] : [rhelOf(counts.version), floor.rhel]
  if (version === undefined || !parseVersion(version)) return 'unreadable'
  return below(version, limit) ? 'below' : 'above'
}

/** How a recorded version is spoken of: "4.12.7", "RHCOS 9.0.20230101-0 (RHEL 9.0)". */
export function spoken(recorded: Recorded): string {
  const counts = decisive(recorded)
  if (!counts) return 'nothing'
  if (counts.kind === 'OCPVersion') return counts.version === '0.0.0' ? '0.0.0 (unknown)' : counts.version
  const rhel = rhelOf(counts.version)
  return `RHCOS ${counts.version}${rhel ? ` (RHEL ${rhel})` : ''}`
}

/**
 * Drydock's own evaluation: other reasons overwrite the ClusterOperator's, so its condition only confirms. `install`: the version that
 * the cluster was installed with, to which a record falls back; `isOpen`: its ClusterOperator says that it keeps nothing closed.
 */
export function skewVerdict(
  state: SkewState,
  floor: Floor | null,
  release: string | null,
  install: string | null = null,
  isOpen = false,
): Judgement {
  if (!state.supported || !floor)
    return quiet(
      'unsupported-release',
      `OpenShift ${release ?? 'of this version'} does not limit the age of boot images.`,
    )
  if (state.mode === null)
    return quiet('evaluating', 'The cluster has not said yet how it limits the age of boot images.')
  if (state.mode === 'None')
    return quiet(
      'not-enforced',
      'Enforcement is off: nobody checks the age of the boot image. Boot images keep nothing closed.',
    )
  if (state.mode === 'Automatic') {
    const controller = controllerState(state.conditions)
    if (controller === 'degraded') return failing(state, floor, release, install)
    if (controller === 'working' && neverSays(state))
      return quiet(
        'unknown',
        'The operator says nothing of its passes and never will while MachineConfiguration/cluster has other conditions, so it compares no record. Boot images keep nothing closed.',
      )
    if (controller === 'working')
      return quiet(
        'evaluating',
        'The operator is going through the machine sets; the record is compared once it is done.',
      )
  }
  return compared(state, floor, release, isOpen)
}

/** Its two conditions are added only to a list that is empty; who finds others there waits for ever. */
const neverSays = ({ conditions }: SkewState): boolean =>
  conditions.length > 0 &&
  !conditionOf(conditions, 'BootImageUpdateProgressing') &&
  !conditionOf(conditions, 'BootImageUpdateDegraded')

const limitOf = (recorded: Recorded, floor: Floor): string => (recorded.ocpVersion ? floor.ocp : `RHEL ${floor.rhel}`)

function compared(state: SkewState, floor: Floor, release: string | null, isOpen: boolean): Judgement {
  const version = spoken(state.recorded)
  const limit = limitOf(state.recorded, floor)
  const own = state.mode === 'Automatic' ? 'Recorded automatically' : 'Recorded by the operator'
  const how = isAcknowledged(state) ? 'Acknowledged' : own
  switch (standing(state.recorded, floor)) {
    case 'below':
      return {
        verdict: 'out-of-skew',
        sentence: `Boot image ${version} is below the floor ${limit}. Updates are closed.`,
        blocks: closedUpdates(release),
      }
    case 'above':
      if (isUnsure(floor, decisive(state.recorded)!.kind))
        return aboveGuessed(`${how}: ${version}`, limit, release, isOpen)
      return quiet('ok', `In range. ${how}: ${version}, the floor is ${limit}. Boot images keep nothing closed.`)
    case 'unreadable':
      return quiet(
        'not-enforced',
        `${how}: ${version}. The operator cannot read this version and so does not compare it. Boot images keep nothing closed.`,
      )
    case 'nothing':
      return quiet(
        'not-enforced',
        'No boot image version is recorded, and without one the operator blocks nothing. Boot images keep nothing closed.',
      )
  }
}

/** What is recorded is what somebody said, and not what the operator has not taken back yet. */
export function isAcknowledged({ mode, spec, recorded }: Pick<SkewState, 'mode' | 'spec' | 'recorded'>): boolean {
  const said = mode === 'Manual' && spec?.mode === 'Manual' ? decisive(spec.manual ?? {}) : null
  return said !== null && said.version === decisive(recorded)?.version
}

export const NOT_KNOWN = 'Whether boot images keep updates closed is not known.'

/** The operator alone knows its floor then; another reason may stand before its word. */
const aboveGuessed = (record: string, limit: string, release: string | null, isOpen: boolean): Judgement =>
  isOpen
    ? quiet(
        'ok',
        `In range by the word of the operator. ${record}; the newest floor that is known is ${limit}. Boot images keep nothing closed.`,
      )
    : quiet(
        'unknown',
        `${record}, which is not below the newest floor that is known, ${limit}. That of ${release ? `OpenShift ${release}` : 'this release'} may be higher. ${NOT_KNOWN}`,
      )

function failing(state: SkewState, floor: Floor, release: string | null, install: string | null): Judgement {
  const message = conditionOf(state.conditions, 'BootImageUpdateDegraded')?.message ?? ''
  // Of a pass that came to no machine set the counts are those of one before.
  const names = causesOf(/Error\(s\): ([\s\S]*)$/.exec(message)?.[1] ?? '').length > 0
  const count = names ? /^(\d+) Degraded MAPI MachineSets/.exec(message)?.[1] : undefined
  const sets = count && count !== '0' ? `for ${count} machine ${count === '1' ? 'set' : 'sets'}` : ''
  return {
    verdict: 'update-failing',
    sentence: `Boot images could not be updated${sets ? ` ${sets}` : ''}. ${untilRepaired(state, floor, install)}`,
    blocks: `${closed(release)} Repair what the operator names.`,
  }
}

/** A pass that fails leaves the record as it was. What the next one records that does not fail, decides on updates then. */
function untilRepaired({ conditions, recorded }: SkewState, floor: Floor, install: string | null): string {
  const skipped = passCounts(conditions)?.skipped ?? 0
  const fallsTo = skipped > 0 && install ? { ocpVersion: install } : null
  if (fallsTo && standing(fallsTo, floor) === 'below')
    return `Updates are closed, and stay so after the repair: with ${skipped === 1 ? 'a machine set' : `${skipped} machine sets`} skipped, the record is ${spoken(fallsTo)}, the version of the installation, below the floor ${floor.ocp}.`
  if (!fallsTo && standing(recorded, floor) === 'below')
    return `Updates are closed until that is repaired and a pass has come through that skips no machine set: the record, ${spoken(recorded)}, is below the floor ${limitOf(recorded, floor)}.`
  return 'Updates are closed until that is repaired and another pass has come through.'
}

const quiet = (verdict: SkewVerdict, sentence: string): Judgement => ({ verdict, sentence, blocks: null })

/** Only updates to a higher minor version are closed; scaling is never blocked, it may only fail. */
export const closedUpdates = (release: string | null): string =>
  `${closed(release)} Nothing blocks scaling, but a new machine that starts from an image this old may fail to join.`

function closed(release: string | null): string {
  const minor = release ? minorOf(release) : undefined
  return `Updates beyond ${minor ?? 'this minor version'} are closed; patch releases within ${minor ?? 'it'} stay open.`
}

/** Lists are sorted by it: the worst first. */
export const riskOf = (verdict: string): number => {
  const at = SKEW_VERDICTS.indexOf(verdict as SkewVerdict)
  return at < 0 ? SKEW_VERDICTS.indexOf('unknown') : at
}
