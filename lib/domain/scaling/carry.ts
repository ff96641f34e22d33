/** A machine set of a worker group, as far as its size goes. */
export interface SetSize {
  name: string
  /** ISO */
  createdAt: string
  /** spec.replicas */
  replicas: number
  /** status.replicas */
  has: number
  /** What its MachineDeployment wanted when its controller last wrote (annotation desired-replicas); null: it never said. */
  told: number | null
  /** Annotation SCALED, as it is on the object. */
  scaled: string | undefined
  /** It has what the group wants now. */
  wished: boolean
  /** Its machines go over to another set (annotation of in-place updates). */
  moves: boolean
  /** It makes no machines (annotation disable-machine-create, strategy OnDelete). */
  disabled: boolean
}

/** What to do so that a held group has as many machines as it wants. */
export type Carry =
  | { do: 'nothing' }
  /** Why not now, or not at all, in one sentence. */
  | { do: 'wait'; why: string }
  /** Write so many replicas to this set, and with them the mark, in one write. */
  | { do: 'scale'; set: string; from: number; replicas: number; mark: string }

const MARK = /^([+-]\d+) of (\d+) at (\d+)$/

/**
 * How much a set was scaled by here since its group's own controller last wrote; null: not at all. A mark from before counts for
 * nothing: from another number that was told, or of a set that was scaled by somebody else since.
 */
export function scaledBy({ scaled, told, replicas }: SetSize): number | null {
  const [, by, of, at] = MARK.exec(scaled ?? '') ?? []
  return by !== undefined && Number(of) === told && Number(at) === replicas ? Number(by) : null
}
const by = (set: SetSize): number => scaledBy(set) ?? 0

const signed = (n: number): string => (n < 0 ? String(n) : `+${n}`)

const IN_THE_MIDDLE = 'In the middle of an update in place Cluster API would update machines instead of deleting them.'

/**
 * The controller of a held MachineDeployment does not act on `spec.replicas`; its machine sets do on theirs. So what it wants
 * more or less than when it was last acted on goes to the set that most of its machines are in, and never to the revision that
 * waits. What was carried already stands on the set itself, written with it: nothing is carried twice.
 */
export function carry(wanted: number, sets: readonly SetSize[]): Carry {
  const set = target(sets)
  if (!set && wanted === 0) return { do: 'nothing' }
  if (!set) return { do: 'wait', why: 'It has no machines, and of which revision new ones would be is not decided.' }
  if (set.told === null)
    return { do: 'wait', why: `Machine set ${set.name} does not say how many machines were wanted when it was held.` }
  const others = sets.reduce((sum, one) => sum + (one === set ? 0 : by(one)), 0)
  const empty = sets.every((one) => one.replicas === 0 && scaledBy(one) === null)
  const reached = empty ? 0 : set.told + others + by(set)
  const replicas = Math.max(0, set.replicas + wanted - reached)
  if (replicas === set.replicas) return { do: 'nothing' }
  if (sets.some(({ moves, has, replicas: size }) => moves && has > size))
    return { do: 'wait', why: 'Machines that have begun are finished first.' }
  // With fewer it would hand machines over to the new set instead of deleting them (machineset_controller.go, startMoveMachines).
  if (set.moves && replicas < set.replicas) return { do: 'wait', why: IN_THE_MIDDLE }
  if (set.disabled && replicas > set.replicas)
    return { do: 'wait', why: `By its strategy (OnDelete), machine set ${set.name} makes no machines any more.` }
  const more = reached + replicas - set.replicas - set.told - others
  const mark = `${signed(more)} of ${set.told} at ${replicas}`
  return { do: 'scale', set: set.name, from: set.replicas, replicas, mark }
}

/**
 * The only one with machines; of several the largest that has not yet what is wanted. One that was emptied here counts as if it had
 * some. Of none the newest, unless that has what waits: nobody knows of which revision the next ones are to be.
 */
function target(sets: readonly SetSize[]): SetSize | undefined {
  const newer = (a: SetSize, b: SetSize) => (a.createdAt === b.createdAt ? 0 : a.createdAt > b.createdAt ? -1 : 1)
  const byName = (a: SetSize, b: SetSize) => (a.name < b.name ? -1 : 1)
  const active = sets.filter((set) => set.replicas > 0 || scaledBy(set) !== null)
  if (active.length === 0) {
    const [newest] = sets.toSorted((a, b) => newer(a, b) || byName(a, b))
    return newest?.wished && sets.length > 1 ? undefined : newest
  }
  const olds = active.filter(({ wished }) => !wished)
  const among = active.length > 1 && olds.length > 0 ? olds : active
  return among.toSorted((a, b) => b.replicas - a.replicas || newer(a, b) || byName(a, b))[0]
}
