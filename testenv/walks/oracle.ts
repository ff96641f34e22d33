import type { Known, Walked } from './known'
import { isApproved, isItsTime, WAYS, type GroupWords, type Story, type Way, type Words } from './model'
import { rulesOf } from './rules'
import type { Happened, Recorder } from './recorder'

/** What it is told of the cluster. */
export type Seen = Pick<Recorder, 'happened' | 'members' | 'keyOfMachine'>

/** Right before a release everything is asked again; until a release is stored takes a moment. */
const RELEASE_MS = 1_500
/** Drydock holds again within some 5 seconds. */
const HOLD_MS = 6_500
/** Of each machine of a control plane the gate is asked, which goes by what is said in that moment. */
const ASKED_MS = 1_500
/** What a machine set was told before it was held, it does. */
const SET_MS = 2_500
/** A failure is seen by a round of 2 s, and held as what is not in time. */
const FAILED_MS = HOLD_MS + 2_500

/** Holds what happened in the cluster against what people said, by docs/policies.md alone. */
export class Oracle {
  readonly broken: string[] = []
  private read = 0
  private readonly known = new Map<string, Known>()

  constructor(
    private readonly story: Story,
    private readonly recorder: Seen,
    private readonly groups: readonly Walked[],
    /** How much later everything may come where a worker or the database was away by then. */
    private readonly later: (at: number) => number,
  ) {
    for (const { name } of groups) {
      const key = story.now.groups[name]!.wants
      const known = { heldSince: null, releasedAt: 0, mayBeMade: 0, mayGo: 0, owed: 0, begun: 0, failed: [] }
      const letGo = { key, ways: WAYS }
      this.known.set(name, {
        ...known,
        letGo,
        backTo: key,
        had: new Set([key]),
        ever: new Set([key]),
      })
    }
  }

  /** Somebody deleted one of its machines, or wants another number of them: what comes of that is no rollout. */
  allow(group: string, made: number, gone: number): void {
    const known = this.known.get(group)!
    known.mayBeMade += made
    known.mayGo += gone
  }

  /** Somebody said no to what it was let go with. */
  against(group: string, key: string): void {
    const known = this.known.get(group)!
    if (known.backTo === key) known.backTo = null
  }

  failed(group: string, at = Date.now()): void {
    this.known.get(group)?.failed.push(at)
  }

  /** Judges whatever happened since the last time. */
  look(): void {
    const { happened } = this.recorder
    for (; this.read < happened.length; this.read++) this.judge(happened[this.read]!)
    for (const { name } of this.groups) this.notice(name)
  }

  private judge(event: Happened): void {
    const walked = this.groups.find(({ name }) => name === event.group)
    const known = walked && this.known.get(walked.name)
    if (!walked || !known) return
    if (event.what === 'held') known.heldSince = event.at
    else if (event.what === 'released') this.released(walked, known, event)
    else {
      const before = this.broken.length
      this.moved(walked, known, event)
      if (this.broken.length > before && this.mayBe(known, event)) this.broken.length = before
    }
  }

  /** What no rollout explains may come of what somebody did besides. */
  private mayBe(known: Known, { what }: Happened): boolean {
    if (what === 'created') return known.mayBeMade-- > 0
    return what === 'deleted' && known.mayGo-- > 0
  }

  private wave(words: Words, name: string, key: string): boolean {
    const [first] = this.groups
    const version = key.split(' ')[0]!
    if (!rulesOf(words.policies, name).waves) return true
    return words.groups[name]!.overridden || name === first!.name || this.known.get(first!.name)!.had.has(version)
  }

  private released(walked: Walked, known: Known, { at, key, isOver }: Happened): void {
    const { name, isPlane } = walked
    known.heldSince = null
    known.releasedAt = at
    known.begun = 0
    const then = this.story.between(at - RELEASE_MS - this.later(at), at)
    const may = then.filter((words) => words.groups[name]!.wants === key)
    const inTime = may.filter((words) => isItsTime(words, name) && this.wave(words, name, key))
    const ways = WAYS.filter((way) => inTime.some((words) => isApproved(words, name, way, isPlane)))
    // Changed back to what it was last let go with.
    const isBack = known.backTo === key
    known.backTo = key
    known.ever.add(key)
    if (ways.length > 0) {
      known.letGo = { key, ways }
      // What was let go does not expire.
      const ageless = ({ approvals }: GroupWords) => ({
        approvals: Object.fromEntries(Object.entries(approvals).map(([who, one]) => [who, { ...one, isOld: false }])),
      })
      if (this.story.now.groups[name]!.wants === key) this.story.group(at, name, ageless, at)
    } else if (!isBack && !isOver) {
      const words = JSON.stringify(may.map(({ groups, policies }) => [groups[name], policies]))
      this.say(at, `${name} was let go to ${key}, and nothing lets it: ${words}`)
      known.letGo = { key, ways: WAYS }
    }
  }

  private moved(walked: Walked, known: Known, event: Happened): void {
    const { at, what, key, machine } = event
    const { name } = walked
    if (what === 'deleted') known.owed++
    // A machine set makes what is missing, however late its checks let it, and whatever is wanted by then.
    if (what === 'created' && known.owed > 0) {
      known.owed--
      if (key !== known.letGo.key && known.ever.has(key)) return
    }
    const told = `${machine} of ${name} was ${what} (${event.was ?? ''} → ${key})`
    const { letGo } = known
    // What is missing is made, whatever was approved.
    const isMissing = what === 'created' && (event.there ?? Infinity) <= this.story.now.groups[name]!.replicas
    const way: Way = what === 'begun' ? 'in-place' : 'replace'
    if (what !== 'deleted' && letGo.key !== key) return this.say(at, `${told}, which it was never let go with`)
    if (!letGo.ways.includes(way) && !isMissing)
      this.say(at, `${told}, and was approved ${letGo.ways.join(' and ')} only`)
    const lag = walked.isPlane ? 500 : SET_MS
    if (known.heldSince !== null && known.heldSince < at - lag) this.say(at, `${told} while its group was held`)
    const within = walked.isPlane && what === 'begun' ? ASKED_MS : HOLD_MS
    const then = this.story
      .between(at - within - this.later(at), at)
      .filter((one) => one.groups[name]!.wants === key || what === 'deleted')
    const stands = (words: Words) =>
      !words.groups[name]!.tookBack || WAYS.some((one) => isApproved(words, name, one, walked.isPlane))
    if (!then.some((words) => isItsTime(words, name) && stands(words)))
      this.say(
        at,
        `${told} when it was not its time: ${JSON.stringify(then.map((one) => [one.groups[name], one.policies]))}`,
      )
    this.stopped(name, known, at, told)
    if (what !== 'begun') return
    known.begun++
    const inSteps = this.story.between(at - RELEASE_MS, at).every(({ groups }) => groups[name]!.steps !== null)
    if (inSteps && known.begun > 1) this.say(at, `${told}, the second one of a step`)
  }

  private stopped(name: string, known: Known, at: number, told: string): void {
    const failedAt = known.failed.find((one) => one < at - FAILED_MS - this.later(at) && one > known.releasedAt)
    if (failedAt === undefined) return
    const since = this.story.between(failedAt, at)
    const stops = since.every((words) => rulesOf(words.policies, name).stopsAt === 1)
    const accepted = since.some((words) => words.groups[name]!.acceptedAt > failedAt)
    if (stops && !accepted) this.say(at, `${told}, after one had failed`)
  }

  /** What all of its machines have by now. */
  private notice(name: string): void {
    const members = this.recorder.members(name)
    const keys = new Set(members.map((machine) => this.recorder.keyOfMachine(machine)))
    const rests = members.every(({ status, metadata }) => status?.phase === 'Running' && !metadata.deletionTimestamp)
    if (keys.size === 1 && rests) {
      const [key] = keys
      this.known.get(name)!.had.add(key!).add(key!.split(' ')[0]!)
    }
  }

  say(at: number, what: string): void {
    this.broken.push(`${new Date(at).toISOString().slice(11, 23)} ${what}`)
  }
}
