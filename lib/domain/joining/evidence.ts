import { ageWords } from '../holds/age'
import { isImageRead } from '../boot-images/image-read'
import { mayBeReplaced } from '../boot-images/may-be-replaced'
import { FLOOR_NOW, isUnsure } from '../skew/floors'
import { runs } from './instance'
import {
  composefs,
  isBelow,
  isByFilters,
  isOlder,
  sameImageJoins,
  setName,
  setsImage,
  setsImageWords,
  spokenImage,
  type Judged,
} from './judge'
import type { JoinEvidence, JoinFacts } from './types'

type Says = JoinEvidence['says']
type Sure = JoinEvidence['sure']

/** All that is known of why a machine has no node, and what cannot be known, each with what it speaks for and how sure it is. */
export function evidenceOf(facts: JoinFacts, { certainty }: Pick<Judged, 'certainty'>, now: number): JoinEvidence[] {
  // What others have and do says something of its image only where that may be the cause.
  const ofImage = certainty === 'not-the-image' ? 'nothing' : 'image'
  const found: (JoinEvidence | null)[] = [
    instance(facts, now),
    reported(facts),
    ownImage(facts),
    ofItsSet(facts, ofImage),
    composefs(facts)
      ? item(
          'image',
          'likely',
          'From 4.19 on nodes mount their root with composefs, which fails with images of much older releases: the console then speaks of composefs.',
        )
      : null,
    sameImage(facts, ofImage),
    sameSet(facts),
    others(facts, ofImage),
    item(
      'nothing',
      'unknown',
      `The Ignition version in the Secret ${facts.said.userData ?? 'of its user data'} is not known: Drydock has no right to read Secrets. Images of 4.6 and later need 3.x.`,
    ),
    item(
      'nothing',
      'unknown',
      'Whether a certificate request of its kubelet waits to be approved is not known: Drydock does not read those.',
    ),
  ]
  return found.filter((one) => one !== null)
}

const item = (says: Says, sure: Sure, sentence: string): JoinEvidence => ({ says, sure, sentence })
const machines = (n: number): string => (n === 1 ? 'One machine' : `${n} machines`)

function instance({ since, said }: JoinFacts, now: number): JoinEvidence {
  const age = ageWords(Math.max(0, now - Date.parse(since)))
  const running = runs(said.instance)
  if (running === false) return item('other', 'certain', `Its instance is ${said.instance}, and so cannot join.`)
  const state = said.instance ? `Its instance is ${said.instance}` : 'Its instance is there'
  return item('nothing', 'certain', `${state}, and has been there without a node for ${age} at least.`)
}

function reported({ said }: JoinFacts): JoinEvidence | null {
  const words = [said.reason, said.message].filter(Boolean).join(': ')
  if (!words) return item('nothing', 'certain', 'The Machine reports no error: a boot that fails leaves none.')
  return said.reason === 'JoinClusterTimeoutError'
    ? item('nothing', 'certain', `The Machine reports ${words}`)
    : item('other', 'likely', `The Machine reports ${words}`)
}

function ownImage(facts: JoinFacts): JoinEvidence {
  const { image, dated, wanted, otherArch, release, platform, floor } = facts
  if (!image)
    return item(
      'nothing',
      'unknown',
      isByFilters(facts)
        ? 'Its spec names no image by its id (ami.id): by filters it got the newest that they matched when it was made, however old that is.'
        : isImageRead(platform)
          ? 'Its spec names no image of its own, so nothing tells what it started from.'
          : 'Which image its spec names Drydock does not read on this platform.',
    )
  if (otherArch)
    return item(
      'image',
      'certain',
      `It starts from ${image}, an image for ${otherArch}, and the machines of its set are not.`,
    )
  if (wanted)
    return item('other', 'certain', `It starts from ${image}, the image of ${release.version ?? 'its release'}.`)
  if (!dated)
    return item(
      'nothing',
      'unknown',
      platform === 'VSphere'
        ? `It starts from the template ${image}; only vCenter knows which version that holds.`
        : `It starts from ${image}, which is not the image of the release; nothing tells how old it is.`,
    )
  const limit = floor ?? FLOOR_NOW
  const oldest = dated.kind === 'OCPVersion' ? limit.ocp : `RHEL ${limit.rhel}`
  const sure = dated.sure === 'certain' ? 'certain' : 'likely'
  const of = `It starts from ${image}, an image of ${spokenImage(dated)}`
  if (isBelow(dated, facts))
    return item(
      'image',
      sure,
      `${of}, which is below ${oldest}, the oldest that ${floor ? 'its release accepts' : 'later releases accept'}.`,
    )
  if (isOlder(facts)) {
    const accepted = `the oldest that ${floor ? 'it accepts' : 'later releases accept'}`
    const known = isUnsure(limit, dated.kind) ? 'the newest floor that is known: its own may be higher' : accepted
    return item('image', 'unknown', `${of}: older than the release, and not below ${oldest}, ${known}.`)
  }
  return item('other', sure, `${of}, of about the age of its release.`)
}

function ofItsSet(facts: JoinFacts, ofImage: Says): JoinEvidence | null {
  const { set, image, dated } = facts
  if (!set) return item('nothing', 'certain', 'It belongs to no machine set.')
  if (!set.current || !image) return null
  const name = setName(set, 'Its')
  const stands = setsImage(facts)
  if (stands) {
    const isCompared = stands === 'newer' || stands === 'older'
    return item(
      stands === 'newer' ? ofImage : 'nothing',
      isCompared && dated?.sure !== 'certain' ? 'likely' : 'certain',
      `${name} starts machines from ${setsImageWords(stands, facts.floor)} by now: ${set.current}.`,
    )
  }
  return set.state === 'outdated'
    ? item('nothing', 'certain', `${name} starts its machines from the same image, and so would the next one.`)
    : null
}

function sameImage(facts: JoinFacts, ofImage: Says): JoinEvidence | null {
  const { sameImage: same, image, release, platform, joinedUnder } = facts
  // With machines of the other architecture it may well join.
  if (!image || facts.otherArch) return null
  if (sameImageJoins(facts))
    return item(
      'other',
      mayBeReplaced(platform) ? 'likely' : 'certain',
      `${machines(same.joined)} with the same image joined since the cluster runs ${release.version}.`,
    )
  if (!release.completedAt)
    return item(
      'nothing',
      'unknown',
      'Since when its release is there is not known, nor whether its image joins under it.',
    )
  const before = same.ever - same.joined
  const under = joinedUnder ? `, ${before === 1 ? '' : 'the last '}while it ran ${joinedUnder}` : ''
  const joined = before > 0 ? `; ${before === 1 ? 'one' : before} did before${under}` : ''
  return item(
    ofImage,
    'unknown',
    `No machine with the same image has joined since the cluster runs ${release.version}${joined}.`,
  )
}

function sameSet({ sameSet: mates, set, release }: JoinFacts): JoinEvidence | null {
  if (!set || mates.joined === 0) return null
  return item(
    'nothing',
    'certain',
    `${machines(mates.joined)} of ${set.name} joined since the cluster runs ${release.version}, ${mates.joined === 1 ? 'so its' : 'so their'} network and user data work.`,
  )
}

function others({ all, image, sameImage: same, release }: JoinFacts, ofImage: Says): JoinEvidence | null {
  // Where its image is not known nothing is told from others by that, and it is one of all itself.
  const stuck = all.stuck - (image ? same.stuck : 1)
  const joined = all.joined - same.joined
  const whom = (n: number) =>
    image ? `${machines(n)} with another image` : n === 1 ? 'One other machine' : `${n} other machines`
  if (stuck > 0)
    return item(
      'other',
      'likely',
      `${whom(stuck)} ${stuck === 1 ? 'does' : 'do'} not join either: they may share a cause.`,
    )
  return joined > 0 && same.joined === 0
    ? item(
        image ? ofImage : 'nothing',
        image ? 'likely' : 'certain',
        `${whom(joined)} joined since the cluster runs ${release.version}.`,
      )
    : null
}
