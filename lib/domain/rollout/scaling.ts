import { fenceposts } from './fenceposts'
import { drafts, note, planned, sortByAge, total, type Draft, type Pass } from './intents'

const ALIGN_TO_DEPLOYMENT = 'scale down to align MachineSet spec.replicas to MachineDeployment spec.replicas'
const ALIGN_TO_MACHINES = 'scale down to align to existing Machines'

/** How far the current set may grow now. */
export function scaleCurrent(pass: Pass) {
  const { state, current } = pass
  const wanted = state.replicas
  if (current.spec === wanted) return
  if (current.spec > wanted) {
    current.intent = wanted
    note(current, ALIGN_TO_DEPLOYMENT)
    return
  }
  const { surge } = fenceposts(state.strategy, wanted)
  const machines = total(drafts(pass))
  if (machines >= wanted + surge) return
  current.intent = current.spec + Math.min(wanted + surge - machines, wanted - current.spec)
  const plus = state.strategy.type === 'OnDelete' ? '' : ` + ${surge} maxSurge`
  note(current, `${machines} current Machines < ${wanted} MachineDeployment spec.replicas${plus}`)
}

/** How far the old sets may shrink without fewer machines being available than the floor. */
export function scaleOlds(pass: Pass) {
  const { state, current, olds } = pass
  const spec = olds.reduce((sum, old) => sum + old.spec, 0)
  if (spec === 0) return
  const { unavailable } = fenceposts(state.strategy, state.replicas)
  const floor = Math.max(state.replicas - unavailable, 0)
  const available = drafts(pass).reduce((sum, set) => sum + set.state.available, 0)
  const goingDown = drafts(pass).reduce(
    (sum, set) => sum + Math.max(set.state.status - Math.min(set.spec, planned(set)), 0),
    0,
  )
  const notYetThere = Math.max(current.spec - current.state.available, 0)
  const budget = {
    down: Math.max(totalSpec(pass) - goingDown - floor - notYetThere, 0),
    available,
    floor,
  }
  if (budget.down === 0) return
  sortByAge(olds)
  // Machines that are not available go first: they cost no availability.
  for (const old of olds) shrink(old, Math.max(planned(old) - old.state.available, 0), budget)
  for (const old of olds) shrink(old, planned(old), budget)
}

const totalSpec = (pass: Pass) => drafts(pass).reduce((sum, set) => sum + set.spec, 0)

interface Budget {
  down: number
  /** Available machines that would be left if everything planned so far happened. */
  available: number
  floor: number
}

function shrink(old: Draft, limit: number, budget: Budget) {
  const replicas = planned(old)
  const { status, available } = old.state
  let by = Math.min(limit, budget.down)
  if (by <= 0) return
  const before = budget.available
  if (available > 0) {
    let leaving = Math.max(status - (replicas - by), 0)
    if (leaving > 0) {
      const spare = budget.available - budget.floor
      if (spare < leaving) {
        const target = Math.min(status - Math.max(spare, 0), replicas)
        by = replicas - target
        leaving = Math.max(status - target, 0)
      }
      budget.available -= Math.min(available, leaving)
    }
  }
  if (by <= 0) return
  old.intent = replicas - by
  budget.down -= by
  const unharmed = 'or scale down by removing unavailable replicas (and no available replicas exist on the MachineSet)'
  note(
    old,
    budget.available === before
      ? `${ALIGN_TO_MACHINES} ${unharmed}`
      : `${before} available replicas > ${budget.floor} minimum available replicas`,
  )
}

/** OnDelete: a person deletes the old machines; the old sets only follow. */
export function followDeletions(pass: Pass) {
  const { state, current, olds } = pass
  sortByAge(olds)
  let reduced = 0
  for (const old of olds) {
    if (old.spec <= old.state.status) continue
    reduced += old.spec - old.state.status
    old.intent = old.state.status
    note(old, ALIGN_TO_MACHINES)
  }
  const spec = olds.reduce((sum, old) => sum + old.spec, 0)
  let surplus = spec + planned(current) - state.replicas - reduced
  for (const old of olds) {
    if (surplus <= 0) break
    const by = Math.min(surplus, planned(old))
    if (by <= 0) continue
    // Upstream's own quirk: counted from spec, not from the intent set just before.
    old.intent = old.spec - by
    surplus -= by
    note(old, ALIGN_TO_DEPLOYMENT)
  }
}
