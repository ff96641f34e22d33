import type { MemberHealth, PlaneHealth } from './health'
import { spareDuring, spareOf, type Way } from './quorum'

/** "It can lose 1 of them and go on." */
const canLose = (spare: number): string =>
  spare < 0
    ? 'it has no quorum'
    : spare === 0
      ? 'it can lose none of them'
      : `it can lose ${spare === 1 ? 'one' : spare} of them and go on`

const LEAVES = 'It would go from members on its machines to an external etcd: what is stored in them does not go along.'

/** How etcd stands, in sentences. `way`: how its machines go, where that is known. */
export function etcdWords(
  health: PlaneHealth,
  maxSurge: 0 | 1,
  way: Way | null = null,
  first: MemberHealth | null = null,
): string[] {
  const { etcd, leaves, members, healthy, spare, machines } = health
  if (etcd === 'external' && !leaves)
    return ['Its etcd is an external one: no members are counted here, and what happens to it is not for this rollout.']
  if (etcd === null) return ['Nothing is known of its etcd yet.']
  if (machines.length === 0) return ['Nothing is known of its machines yet, nor of its etcd.']
  const all = members === 1 ? 'one member' : `${members} members`
  const well =
    healthy === members ? (members === 1 ? 'healthy' : 'all of them healthy') : `${healthy} known to be healthy`
  const now = members === 1 && healthy === 1 ? 'it must not be lost' : canLose(spare)
  const stands = `etcd has ${all}, ${well}: ${now}.`
  // What becomes of its members meanwhile nobody looks after.
  if (leaves) return [LEAVES, stands]
  const ways: Way[] = way ? [way] : ['in-place', 'replace']
  return [stands, ...ways.map((one) => whileWords(health, one, maxSurge, first))]
}

/** The same words where it stands against it, so that nobody reads it twice. */
function whileWords(health: PlaneHealth, way: Way, maxSurge: 0 | 1, first: MemberHealth | null): string {
  if (way === 'in-place')
    return `While a machine is updated in place its member may be away: ${during(health, way, maxSurge, null)}.`
  const one = first ? `${first.name}, which goes first,` : 'one'
  const order = maxSurge === 1 ? 'a new one first' : 'the old one first'
  return `While ${one} is replaced, ${order}: ${during(health, way, maxSurge, first)}.`
}

function during(health: PlaneHealth, way: Way, maxSurge: 0 | 1, first: MemberHealth | null): string {
  const spare = spareWith(health, way, maxSurge, first)
  if (spare < 0) return `etcd ${health.members === 1 ? 'is down' : 'has no quorum'} then, and with it the API server`
  return spare === 0 ? 'no other may be lost then' : `${spare === 1 ? 'one other' : `${spare} others`} may be lost then`
}

/** Where the old one goes first, one that is ill takes no healthy member away. */
const spareWith = (health: PlaneHealth, way: Way, maxSurge: 0 | 1, first: MemberHealth | null): number =>
  way === 'replace' && maxSurge === 0 && first?.member === 'ill'
    ? spareOf({ members: health.members - 1, healthy: health.healthy })
    : spareDuring(health, way, maxSurge)

/** The one that is ill, where it is the only one and is to be updated: Cluster API takes it before others; null: there is none such. */
export function illFirst({ etcd, machines }: PlaneHealth, isOld: (name: string) => boolean): MemberHealth | null {
  const [ill, ...more] = machines.filter(
    ({ member, components }) => (member !== 'healthy' && etcd !== 'external') || components !== 'healthy',
  )
  if (!ill || more.length > 0 || (ill.member !== 'ill' && ill.components !== 'ill')) return null
  return isOld(ill.name) ? ill : null
}

/** Where there are all machines that its rollout has at a time (update.go, rollingUpdate): also where others are updated in place. */
export const unaskedWords = ({ name }: MemberHealth): string =>
  `${name} is not healthy: Cluster API deletes it first, at once, and asks nobody about it.`

/** Those that are ill, and to be updated. */
export const illAmong = ({ etcd, machines }: PlaneHealth, isOld: (name: string) => boolean): string[] =>
  machines.flatMap(({ name, member, components }) =>
    isOld(name) && ((member === 'ill' && etcd !== 'external') || components === 'ill') ? [name] : [],
  )

/** Where all are there, and not all others are well yet: one that joins, say, or is being updated. */
export const mayGoWords = (ill: readonly string[]): string =>
  ill.length === 1
    ? `${ill[0]} is not healthy: once all others are well, Cluster API may delete it next, and asks nobody about it.`
    : `${ill.join(', ')} are not healthy: once only one of them is not, and all others are well, Cluster API may delete that one next, and asks nobody about it.`

/**
 * Where there are fewer it makes one first, and before that looks at all that are there (scale.go, scaleUpControlPlane). What is
 * deleted has to leave etcd, which takes its quorum, and a manager that is not paused (`held`).
 */
export const waitsWords = ({ name }: MemberHealth, { etcd, spare }: PlaneHealth, held: boolean): string =>
  `${name} is not healthy: Cluster API makes a machine first, and waits with that until ${name} is well. Somebody has to make it well${
    etcd !== 'external' && spare < 0
      ? ': etcd has no quorum, without which a deletion does not end'
      : held
        ? ' or, once it is let go, delete it'
        : ', or delete it'
  }.`

/**
 * What stands against dealing with a machine of this control plane now, by what is known; what is not known counts as ill.
 * Empty: nothing. Whoever lets it go all the same types its name.
 */
export function risksOf(health: PlaneHealth, way: Way, maxSurge: 0 | 1, first: MemberHealth | null = null): string[] {
  const { etcd, leaves, members, machines } = health
  if (leaves) return [LEAVES]
  if (etcd === 'external') return []
  if (etcd === null || members === 0) return ['Nothing is known of its etcd: that counts as not healthy.']
  const ill = machines.flatMap(({ name, member, words }) =>
    member === 'ill'
      ? [`The etcd member of ${name} is not healthy${words ? ` (${words})` : ''}.`]
      : member === 'unknown'
        ? [`Whether the etcd member of ${name} is healthy is not known${words ? ` (${words})` : ''}.`]
        : [],
  )
  if (spareWith(health, way, maxSurge, first) >= 0) return ill
  return [...ill, whileWords(health, way, maxSurge, first)]
}

/**
 * Why no machine (or that one: its own member is the one that is dealt with) of a rollout that is under way may be next; null: nothing is known against it. One member that is not well and
 * none to spare: the next machine might take the quorum away. All of one or two members being well is what was approved, with the
 * name typed. Nothing known of etcd, or of a member: as the manager's own preflight, which waits where a condition is missing.
 * That holds up nobody for ever: a manager that asks the gate (since Cluster API 1.12) writes these conditions, on every
 * machine that has a node and before it asks.
 */
export function noneToSpare(health: PlaneHealth, next: string | null = null): string | null {
  const { etcd, members, spare, machines } = health
  if (etcd === 'external') return null
  if (etcd === null || members === 0) return 'nothing is known of its etcd'
  const ill = machines.filter(({ name, member }) => name !== next && (member === 'ill' || member === 'unknown'))
  if (ill.length === 0 || spare > 0) return null
  const words = ill.map(({ name, words: why }) => `${name}${why ? ` (${why})` : ''}`).join(', ')
  return `etcd has no member to spare: ${words}`
}
