import { setTimeout as sleep } from 'node:timers/promises'
import type { Action } from './action'
import { age, close, edit, fail, policy, template, theirs } from './editing'
import { approve, pause, withdraw } from './saying'

/** Until it moves, or after as long as people and the planner take. */
const underWay: Action = async (walk) => {
  const { name } = walk.anyGroup()
  for (const end = Date.now() + 5_000; !walk.isUnderWay(name) && Date.now() < end;) await sleep(50)
  // Somewhere between two machines.
  await sleep(walk.any([0, 500, 2_000, 4_500]))
}
export const nobodyActs: Action = () => sleep(6_000)
const newConfig = edit({ bootstrap: { configRef: { name: 'other-command' } } })
const [edits, frees] = [edit(undefined, false), policy({})]
const approves = approve({ oneByOne: false })

interface Plot {
  /** What it is for; absent: either. */
  on?: 'plane' | 'workers'
  acts: Action[]
}

/** What one group goes through, in this order, while chance has its way with the others: in each of them something must hold. */
export const PLOTS: Plot[] = [
  { acts: [policy({ approvals: 2 }), edits, approves, nobodyActs, withdraw, approves] },
  { acts: [policy({ expires: true, window: 'closed' }), edits, approves, age, policy({ expires: true })] },
  { acts: [policy({ expires: true, approvals: 2 }), edits, approves, age, approves] },
  { acts: [policy({ frozen: true }), edits, approves] },
  { on: 'plane', acts: [frees, edits, approve({ oneByOne: false, way: 'in-place' }), underWay, close] },
  { acts: [frees, edits, approves, underWay, pause] },
  { on: 'plane', acts: [frees, edits, approve({ oneByOne: true, way: 'in-place' }), underWay, nobodyActs] },
  { acts: [theirs, edits, approves, withdraw, nobodyActs, theirs] },
  { on: 'workers', acts: [frees, newConfig, approves, underWay, template] },
  { on: 'workers', acts: [policy({ stopsAt: 1 }), fail, edits, approves, underWay] },
]
