import { NOTHING, type Action } from './action'
import { age, close, edit, fail, policy, remove, template, theirs } from './editing'
import { accept, approve, next, override, pause, reject, restore, resume, withdraw } from './saying'

/** Now and then, for while it is so nothing is held to its time. */
const freshWorker: Action = ({ world, tell }) => {
  if (!world.isCalm()) return Promise.resolve(NOTHING)
  tell('a fresh worker')
  return world.restart()
}

/** How often each of them is chosen. */
export const ACTIONS: [number, Action][] = [
  [8, edit()],
  [45, approve()],
  [6, withdraw],
  [4, reject],
  [6, pause],
  [6, resume],
  [4, override],
  [2, restore],
  [4, accept],
  [5, next],
  [10, policy()],
  [3, age],
  [2, remove],
  [3, theirs],
  [4, fail],
  [2, template],
  [2, freshWorker],
]

/** What holds again what is under way. */
export const HALTING: typeof ACTIONS = [
  [8, close],
  [5, pause],
  [3, withdraw],
  [3, reject],
  [3, edit()],
  [2, template],
  [3, fail],
  [2, remove],
]
