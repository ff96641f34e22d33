/** A machine whose update is over by the words of its updaters, and that is not what is wanted. */
interface Behind {
  /** Its sentence: "Running v1.34.2, not up to date: its kubelet is v1.34.1, and v1.34.2 is wanted." */
  sentence: string
  /** When its row last became another one. */
  changedAt: Date
}

interface Now {
  upToDate: boolean | null
  updating: boolean
  deleting: boolean
  error: string | null
}

/** A node reports what it runs within seconds, a kubelet that restarts within a minute. */
const LATE_MS = 60_000
/** By then nobody is at work on it any more. */
const STUCK_MS = 5 * 60_000

/** Of a machine that was being updated: nothing is at work any more, and it is not what is wanted. */
export const isBehind = ({ upToDate, updating, deleting, error }: Now): boolean =>
  upToDate === false && !updating && !deleting && error === null

export const isLate = ({ changedAt }: Pick<Behind, 'changedAt'>, now: number): boolean =>
  now - changedAt.getTime() > LATE_MS

/** "its updaters are done, but its kubelet is still v1.34.1" */
export function behindWords({ sentence }: Pick<Behind, 'sentence'>, updaters: boolean): string {
  const what = /not up to date: (.+?)\.?$/s.exec(sentence)?.[1] ?? 'it is not what is wanted'
  const still = what.replace(/^its kubelet is (\S+), and \S+ is wanted$/, 'its kubelet is still $1')
  return `${updaters ? 'its updaters are done' : 'its update is over'}, but ${still}`
}

/**
 * Its sentence for another desired state, which it has: what it is not goes by the one that is wanted now. That its kubelet is not
 * what its Machine says stays.
 */
export const runningOnly = (sentence: string): string =>
  sentence.replace(/^(Running\b.*?), not up to date: (?!its kubelet ).*$/s, '$1.')

/** As its row says it. */
export function behindMessage(machine: Behind, updaters: boolean, now: number): string {
  const words = behindWords(machine, updaters)
  return `${words[0]!.toUpperCase()}${words.slice(1)}${isLate(machine, now) ? ': it is late' : ''}.`
}

/** Whether the planner has found it so: a row read in between says nothing yet. */
export const saysBehind = (message: string | null): boolean =>
  /^Its (updaters are done|update is over), but /.test(message ?? '')

/** For so long that it does not become so by itself. */
export const isStill = ({ changedAt }: Pick<Behind, 'changedAt'>, now: number): boolean =>
  now - changedAt.getTime() > STUCK_MS
