import { fenceposts } from './fenceposts'
import { note, type Draft, type Pass } from './intents'
import type { OldSetState } from './types'

/** Old sets for which the updater has to be asked in this pass. Nothing to ask once the current set is full. */
export function asked(pass: Pass): Draft<OldSetState>[] {
  const { state, current, olds } = pass
  if (!state.inPlaceUpdates || state.strategy.type === 'OnDelete' || current.spec >= state.replicas) return []
  return olds.filter((old) => old.state.status > 0 && old.state.eligible)
}

/** Old sets that can be updated in place hand their machines over instead of deleting them. */
export function planMoves(pass: Pass, canUpdate: ReadonlySet<string>) {
  const moving = asked(pass).filter((old) => canUpdate.has(old.state.name))
  if (moving.length === 0) return
  const { current } = pass
  for (const old of moving) {
    old.moveTo = current.state.name
    note(old, `should scale down by moving Machines to MachineSet ${current.state.name}`)
  }
  current.receiveFrom = moving.map((old) => old.state.name).sort()
  dropSurge(pass)
}

/** New machines are only made where moving alone cannot fill the set; one spare where nothing else could move. */
function dropSurge(pass: Pass) {
  const { state, current } = pass
  if (current.intent === undefined || current.intent <= current.spec) return
  const growth = current.intent - current.spec
  // All of maxSurge is taken to be in the growth, also where the number of replicas capped it.
  const used = Math.min(growth, fenceposts(state.strategy, state.replicas).surge)
  if (used === 0) return
  let up = growth - used
  if (up === 0 && !busy(pass)) {
    up = 1
    note(current, 'surge 1 allowed to create availability for in-place updates')
  } else {
    note(current, `surge ${used} dropped to prioritize in-place updates`)
  }
  current.intent = up > 0 ? current.spec + up : undefined
}

/** Something is moving already, so that availability may come back by itself. */
function busy({ state, current, olds }: Pass) {
  const { status, available, upToDate } = current.state
  return (
    current.spec !== status ||
    current.spec !== upToDate ||
    current.spec !== available ||
    state.updating ||
    olds.some((old) => old.spec < old.state.status || (old.intent !== undefined && old.intent < old.spec))
  )
}
