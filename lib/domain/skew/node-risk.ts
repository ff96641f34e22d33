import { listed, olderThan, standsTo, type DatedImage, type ImageVersion } from './evidence'
import { FLOOR_NOW, isUnsure, type Floor } from './floors'
import { standing, type Judgement } from './verdict'

/** Whether a machine that is made now may fail to join because of the image it starts from. */
export const NODE_RISKS = ['likely', 'unknown', 'possible', 'no'] as const
export type NodeRisk = (typeof NODE_RISKS)[number]

export const NODE_RISK_WORDS: Record<NodeRisk, string> = {
  likely: 'may not join',
  possible: 'might not join',
  unknown: 'not known',
  // All that is known: whatever else keeps a machine from joining, an image far older than the release too, is not judged here.
  no: 'not below the floor',
}

export interface RiskSet {
  name: string
  state: string
  dated: DatedImage | null
  /** Architecture of its image, where its machines have another. */
  otherArch?: string | null
  /** AWS region of its image, where its machines are in another. */
  otherRegion?: string | null
}

export interface RiskInput {
  verdict: Judgement['verdict']
  /** null: the release has none of its own; then the oldest image that is known to join anywhere is what counts. */
  floor: Floor | null
  /** Machine sets that start machines from the release's own kind of image, and the control plane's. */
  sets: readonly RiskSet[]
  /** Machine sets of Windows machines. */
  leftOut?: readonly string[]
  /** Machines start from an image that is part of the release, whatever the sets say: bare metal without an address of its own. */
  ofRelease?: boolean
  /** Release whose image is wanted, as x.y.z; null: nothing tells. */
  release?: string | null
}

export interface NodeRisked {
  level: NodeRisk
  sentence: string
}

/** Nothing blocks scaling in any mode, so this is said apart from what closes updates. */
export function nodeRisk({ verdict, floor, sets, leftOut = [], ofRelease, release = null }: RiskInput): NodeRisked {
  if (ofRelease)
    return { level: 'no', sentence: 'On bare metal new machines start from an image that is part of the release.' }
  const limit = floor ?? FLOOR_NOW
  const wrong = sets.filter((set) => set.otherArch)
  if (wrong.length > 0) {
    const [starts, kinds] = [wrong.length === 1 ? 'starts' : 'start', new Set(wrong.map((set) => set.otherArch))]
    return {
      level: 'likely',
      sentence: `${namedFirst(wrong)} ${starts} machines from an image for ${kinds.size === 1 ? [...kinds][0] : 'another architecture'}, which they are not: no new one can start.`,
    }
  }
  const elsewhere = sets.filter((set) => set.otherRegion)
  if (elsewhere.length > 0) {
    const regions = [...new Set(elsewhere.map((set) => set.otherRegion))]
    return {
      level: 'likely',
      sentence: `${namedFirst(elsewhere)} ${elsewhere.length === 1 ? 'starts' : 'start'} machines from an image of another region${regions.length === 1 ? `, ${regions[0]}` : ''}: no new one can start.`,
    }
  }
  const old = sets.filter((set) => isBelow(set, limit))
  if (old.length > 0) {
    const [starts, than] = [old.length === 1 ? 'starts' : 'start', `machines from an image below ${limit.ocp}`]
    return floor
      ? {
          level: 'likely',
          sentence: `${namedFirst(old)} ${starts} ${than}, the oldest that its release accepts: a new machine may never join.`,
        }
      : {
          level: 'possible',
          sentence: `${namedFirst(old)} ${starts} ${than}, the oldest that later releases accept; this one has no limit, and a new machine may fail to join.`,
        }
  }
  const undated = sets.filter((set) => set.dated === null && set.state !== 'current')
  if (undated.length > 0)
    return {
      level: 'unknown',
      sentence: `Nothing in the cluster tells how old the image of ${named(undated)} is: whether a new machine joins is not known.`,
    }
  if (verdict === 'out-of-skew')
    return {
      level: 'possible',
      sentence: sets.length
        ? 'The record is below the floor, though no machine set is seen to start from an image that old.'
        : 'The record is below the floor, and no machine set tells more: a new machine may fail to join.',
    }
  if (sets.length === 0)
    return { level: 'unknown', sentence: 'There is no machine set that tells which image new machines start from.' }
  const open = sets.filter((set) => floor && mayBeBelow(set, floor, release))
  if (open.length > 0)
    return {
      level: 'unknown',
      sentence: `${namedFirst(open)} ${open.length === 1 ? 'starts' : 'start'} machines from an image that may be below the floor of this release, which is not known.`,
    }
  const unsaid = sets.filter((set) => set.state === 'unknown' && imageOf(set, release) !== 'older')
  if (unsaid.length > 0)
    return {
      level: 'no',
      sentence: `No machine set starts machines from an image below ${limit.ocp}; whether ${named(unsaid)} ${unsaid.length === 1 ? 'has' : 'have'} that of this release is not known.`,
    }
  const older = sets.filter((set) => imageOf(set, release) === 'older')
  if (older.length > 0)
    return {
      level: 'no',
      sentence: `${namedFirst(older)} ${older.length === 1 ? 'starts' : 'start'} from an older image, but from none below ${limit.ocp}.`,
    }
  const others = sets.filter((set) => imageOf(set, release) === 'another')
  const replaced = others.filter((set) => set.state === 'outdated')
  if (replaced.length > 0)
    return {
      level: 'no',
      sentence: `${namedFirst(replaced)} ${replaced.length === 1 ? 'starts' : 'start'} from another image than that of this release, but from none below ${limit.ocp}.`,
    }
  if (others.length > 0)
    return {
      level: 'no',
      sentence: `${namedFirst(others)} ${others.length === 1 ? 'starts' : 'start'} from an image that the operator does not keep current, and that is not below ${limit.ocp}.`,
    }
  const [but, why] = leftOut.length
    ? [` but ${listed(leftOut)}`, ' Windows machines do not start from RHCOS.']
    : ['', '']
  return { level: 'no', sentence: `Every machine set${but} starts machines from the image of this release.${why}` }
}

/** What is not the release’s image may be newer than it, and what the operator leaves alone may be the very one. */
function imageOf({ state, dated }: RiskSet, release: string | null): 'of-release' | 'older' | 'another' {
  if (state === 'current') return 'of-release'
  if (!dated) return 'another'
  if (dated.ofRelease) return dated.ofRelease.stands === 'older' ? 'older' : 'another'
  if (!release) return 'another'
  const of = { kind: 'OCPVersion', version: release } as const
  if (dated.kind === of.kind && dated.version === release && !dated.minorOnly) return 'of-release'
  return olderThan(dated, of) ? 'older' : 'another'
}

/** Nobody knows the floor, and its image is not seen to be as new as the release. */
const mayBeBelow = ({ state, dated }: RiskSet, floor: Floor, release: string | null): boolean =>
  state !== 'current' &&
  dated !== null &&
  isUnsure(floor, dated.kind) &&
  !(release && standsTo(dated, { kind: 'OCPVersion', version: release }) === 'not-older')

/** Its image is older than what is accepted. */
export function isBelow({ dated }: { dated: ImageVersion | null }, floor: Pick<Floor, 'ocp' | 'rhel'>): boolean {
  if (!dated) return false
  const { kind, version } = dated
  return standing(kind === 'OCPVersion' ? { ocpVersion: version } : { rhcosVersion: version }, floor) === 'below'
}

const named = (sets: readonly RiskSet[]): string => listed(sets.map((set) => set.name))
/** At the beginning of a sentence: names of machine sets stay as they are. */
const namedFirst = (sets: readonly RiskSet[]): string => named(sets).replace(/^the /, 'The ')
