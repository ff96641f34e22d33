import { NOTHING, type Action } from './action'
import { close, edit, fail, policy, remove, scale, template, theirs } from './editing'
import { accept, approve, next, override, pause, reject, restore, resume, withdraw } from './saying'
import { resumeRun, skip, stopRun } from './waving'
import type { Walk } from './walk'

/** Now and then, for while it is so nothing is held to its time. */
const disturb =
  (what: string, work: (walk: Walk) => Promise<void>): Action =>
  (walk) => {
    if (!walk.world.isCalm()) return Promise.resolve(NOTHING)
    walk.tell(what)
    return work(walk)
  }

/** How often each of them is chosen. */
export const ACTIONS: [number, Action][] = [
  [8, edit],
  [45, approve],
  [6, withdraw],
  [4, reject],
  [6, pause],
  [6, resume],
  [4, override],
  [2, restore],
  [4, accept],
  [5, next],
  [10, policy],
  [2, scale],
  [2, remove],
  [3, theirs],
  [4, fail],
  [2, template],
  [3, skip],
  [3, stopRun],
  [4, resumeRun],
  [2, disturb('a fresh worker', ({ world }) => world.restart())],
  [1, disturb('a second worker', ({ world }) => world.takeOver())],
  [1, disturb('the database is cut off', ({ world }) => world.cut(1_500))],
]

/** What holds again what is under way. */
export const HALTING: typeof ACTIONS = [
  [8, close],
  [5, pause],
  [3, withdraw],
  [3, reject],
  [3, edit],
  [2, template],
  [2, stopRun],
  [3, fail],
  [2, scale],
  [2, remove],
]
