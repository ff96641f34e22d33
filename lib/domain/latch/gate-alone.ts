/** What the gate is not asked about. */
export const GATE_ALONE_PLANE =
  'Cluster API asks nobody before it makes a new control plane machine (with maxSurge: 1 one comes at once, and others where one is added or gone), nor before it deletes an old one that is ill, or where as many new ones as are wanted are there: a control plane of one machine is replaced whole.'

/** What the update gate holds of groups that the latch does not, as sheets say it. */
export const GATE_ALONE: readonly string[] = [
  'Where updates in place are on, Cluster API asks the update gate before it rolls out a worker group, and before it updates or deletes an old control plane machine that is well: what nobody approved waits there all the same. It asks nobody about restarts (rollout.after), worker groups of type OnDelete or without one of their templates, certificates that are made anew before they expire, and machines that somebody marks to be deleted or remediated.',
  GATE_ALONE_PLANE,
]

/** Why a machine came of what only the gate holds. */
export const UNASKED_BY_GATE =
  'only the update gate held it, and Cluster API asks nobody before it makes a new control plane machine'

/** "A machine was made of it, which nobody let go". `since`: somebody did after that. */
export const madeUnaskedWords = (n: number, since = false): string =>
  `${n === 1 ? 'A machine was' : `${n} machines were`} made of it${since ? ' before anybody let it go' : ', which nobody let go'}`

/** Beside what became of it, of machines that were made so. */
export const madeUnapproved = (n: number): string => `${n} made unapproved`
