import { mayBeReplaced } from '../boot-images/may-be-replaced'
import { olderThan, type ImageVersion } from '../skew/evidence'
import { FLOOR_NOW } from '../skew/floors'
import { standing } from '../skew/verdict'
import { below, minorOf, rhelOf } from '../skew/version'
import { runs } from './instance'
import type { JoinCertainty, JoinFacts } from './types'

/** The reason of the one error of a Machine that says the same as having no node. */
const TIMED_OUT = 'JoinClusterTimeoutError'

/** What settles the question, the first that does. */
export type Why =
  | 'error'
  | 'stopped'
  | 'other-arch'
  | 'wanted'
  | 'others-joined'
  | 'no-image'
  | 'below'
  | 'only-others-join'
  | 'accepted'
  | 'undated'

export interface Judged {
  certainty: JoinCertainty
  why: Why
}

/**
 * Whether a machine does not join because of the image it starts from. What its provider says comes first; then what speaks against
 * its image beyond doubt, for an image with which another machine has joined under the same release boots; then its age.
 */
export function judge(facts: JoinFacts): Judged {
  const { said, image, dated } = facts
  if (said.reason && said.reason !== TIMED_OUT) return { certainty: 'not-the-image', why: 'error' }
  if (runs(said.instance) === false) return { certainty: 'not-the-image', why: 'stopped' }
  if (facts.otherArch) return { certainty: 'boot-image', why: 'other-arch' }
  if (facts.wanted) return { certainty: 'not-the-image', why: 'wanted' }
  if (!image) return { certainty: 'unknown', why: 'no-image' }
  if (sameImageJoins(facts)) return { certainty: 'not-the-image', why: 'others-joined' }
  const commonCause = facts.all.stuck > facts.sameImage.stuck
  if (dated && isBelow(dated, facts)) {
    // Where the release has no limit of its own, one of a later release says what is likely, and no more; as does the limit, where a
    // machine of the same image has joined since releases of that kind.
    const sure = dated.sure === 'certain' && !commonCause && facts.floor !== null && !joinedSince(facts)
    return { certainty: sure ? 'boot-image' : 'likely', why: 'below' }
  }
  // Others join under the same release, and of this image, which is older than it, none does.
  if (isOlder(facts) && facts.all.joined > facts.sameImage.joined && !commonCause)
    return { certainty: 'likely', why: 'only-others-join' }
  return { certainty: 'unknown', why: dated ? 'accepted' : 'undated' }
}

/** Where its name may hold a newer image by now, only what joined before this machine was made tells of its image. */
export function sameImageJoins({ sameImage, platform, createdAt }: JoinFacts): boolean {
  if (sameImage.joined === 0) return false
  return !mayBeReplaced(platform) || (sameImage.first !== null && sameImage.first < createdAt)
}

/**
 * How the image that its set has by now stands to its own; null: it is the same, or nothing tells which one starts its machines.
 * 'another': nothing tells which of both is newer; 'of-release': nor that the release's, which its set has, is the newer one.
 */
export function setsImage(facts: JoinFacts): 'newer' | 'older' | 'below' | 'another' | 'of-release' | null {
  const { set, image, wanted, dated, floor } = facts
  if (!set?.current || !image || set.current === image) return null
  // Where both are the release's, of another region or architecture, neither is the newer one.
  if (set.state === 'current') return wanted ? null : isBehind(facts) ? 'newer' : 'of-release'
  if (!set.dated) return 'another'
  if (isBelow(set.dated, { floor })) return 'below'
  if (dated && olderThan(set.dated, dated)) return 'older'
  return dated && olderThan(dated, set.dated) ? 'newer' : 'another'
}

/** "an older image": what its set has by now. A release without a limit has no floor. */
export function setsImageWords(stands: NonNullable<ReturnType<typeof setsImage>>, floor: JoinFacts['floor']): string {
  if (stands === 'below') return floor ? 'an image below the floor' : 'an image that later releases do not accept'
  const words = { newer: 'a newer image', older: 'an older image', another: 'another image' }
  return stands === 'of-release' ? 'the image of the release' : words[stands]
}

/** Its own image is older than that of the release, which its set has. */
const isBehind = (facts: JoinFacts): boolean => {
  const { dated, set } = facts
  return (
    isOlder(facts) || dated?.ofRelease?.stands === 'older' || (!!dated && !!set?.dated && olderThan(dated, set.dated))
  )
}

/** AWS: without the id of one (ami.id) an instance is made only from what filters find (getAMI of machine-api-provider-aws). */
export const isByFilters = ({ platform, image }: Pick<JoinFacts, 'platform' | 'image'>): boolean =>
  platform === 'AWS' && !image

/** "Its control plane machine set": that is the only one of its kind, and is called cluster on every cluster. */
export const setName = ({ kind, name }: NonNullable<JoinFacts['set']>, its: 'its' | 'Its'): string =>
  kind === 'MachineSet' ? name : `${its} control plane machine set`

export const isBelow = ({ kind, version }: ImageVersion, { floor }: Pick<JoinFacts, 'floor'>): boolean =>
  standing(kind === 'OCPVersion' ? { ocpVersion: version } : { rhcosVersion: version }, floor ?? FLOOR_NOW) === 'below'

/** Older than the release by a minor version at least: a z-stream has the same image more often than not. */
export function isOlder({ dated, release, streamRelease }: JoinFacts): boolean {
  if (!dated) return false
  const minor = release.version && minorOf(release.version)
  if (minor && olderThan(dated, { kind: 'OCPVersion', version: `${minor}.0` })) return true
  // Since 4.19 versions of RHCOS carry that of RHEL alone.
  const wanted = streamRelease && rhelOf(streamRelease)
  return dated.kind === 'RHCOSVersion' && !!wanted && below(rhelOf(dated.version), wanted)
}

/**
 * From 4.19 on the root of a node is mounted with composefs, which fails with older images (okd-project/okd#2205); not with one of
 * which a machine has joined since.
 */
export const composefs = (facts: JoinFacts): boolean => {
  const { dated, release } = facts
  if (!dated || !olderThan(dated, FIRST) || joinedSince(facts)) return false
  return !!release.version && !below(release.version, FIRST.version)
}
const joinedSince = ({ joinedUnder }: JoinFacts): boolean => joinedUnder !== null && !below(joinedUnder, FIRST.version)
const FIRST = { kind: 'OCPVersion', version: '4.19.0' } as const

/** "4.12.7", "RHCOS 410.84.202201251210-0 (RHEL 8.4)" */
export function spokenImage({ kind, version }: ImageVersion): string {
  const rhel = kind === 'RHCOSVersion' ? rhelOf(version) : undefined
  return kind === 'OCPVersion' ? version : `RHCOS ${version}${rhel ? ` (RHEL ${rhel})` : ''}`
}
