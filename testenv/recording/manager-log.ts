/** What the manager did to one MachineSet in a reconcile, in its own words. */
export interface LoggedChange {
  set: string
  what: 'created' | 'scaled' | 'updated'
  kind: 'current' | 'old'
  reason: string
  diff: string
}

/** One reconcile of a MachineDeployment that changed something. */
export interface LoggedDecision {
  reconcile: string
  changes: LoggedChange[]
  /** How it saw each MachineSet, and what it wanted of it: "from 3/3 to 3/2 replicas, …". */
  summaries: Record<string, string>
  /** Machines that it counted in this reconcile; known only where a MachineSet was changed, not made. */
  acknowledged?: string[]
  /** Machines that it saw updating; absent where it did not look. */
  updating?: string[]
}

const MESSAGE = /\] ("(?:[^"\\]|\\.)*")/
const VALUE = /(\w+)=("(?:[^"\\]|\\.)*"|\{[^}]*\}|\d+)(?= |$)/g
const DID: [RegExp, LoggedChange['what']][] = [
  [/^MachineSet \S+ created, it is now the (current) MachineSet$/, 'created'],
  [/^Scaled (?:up|down) (current|old) MachineSet \S+ from \d+ to \d+ replicas/, 'scaled'],
  [/^Updated (current|old) MachineSet \S+$/, 'updated'],
]

const names = (list: string | undefined) => list?.split(',').filter(Boolean)
const bare = (name: string) => name.slice(name.indexOf('/') + 1)

interface Line {
  message: string
  /** What was logged with it, as text. */
  said: Record<string, string | undefined>
  machineSets: Record<string, string>
}

/** What the core manager logs about one MachineDeployment at its usual level (klog's text form). */
function* linesIn(text: string, namespace: string, deployment: string): Generator<Line> {
  for (const line of text.split('\n')) {
    if (!line.includes(` MachineDeployment="${namespace}/${deployment}"`)) continue
    const message = MESSAGE.exec(line)?.[1]
    if (message === undefined) continue
    const rest = line.slice(line.indexOf(message) + message.length)
    const values = [...rest.matchAll(VALUE)].map(([, key, json]) => [key, JSON.parse(json!) as unknown] as const)
    const said = Object.fromEntries(values.map(([key, value]) => [key, String(value)]))
    const machineSets = Object.fromEntries(values).machineSets as Record<string, string> | undefined
    yield { message: JSON.parse(message) as string, said, machineSets: machineSets ?? {} }
  }
}

export function decisionsIn(text: string, namespace: string, deployment: string): LoggedDecision[] {
  const decisions = new Map<string, LoggedDecision>()
  for (const { message, said, machineSets } of linesIn(text, namespace, deployment)) {
    const did = DID.map(([form, what]) => ({ what, kind: form.exec(message)?.[1] })).find(({ kind }) => kind)
    if (!did) continue
    const reconcile = said.reconcileID ?? ''
    const decision = decisions.get(reconcile) ?? { reconcile, changes: [], summaries: {} }
    decisions.set(reconcile, decision)
    decision.summaries = machineSets
    const set = bare(said.MachineSet ?? '')
    // Making one with replicas is logged twice: made, and scaled up from none.
    if (decision.changes.some((change) => change.set === set)) continue
    const kind = did.kind as LoggedChange['kind']
    decision.changes.push({ set, what: did.what, kind, reason: said.reason ?? '', diff: said.diff ?? '' })
    if (did.what === 'created') continue
    decision.acknowledged = names(said.acknowledgedMachines ?? '')
    decision.updating = names(said.updatingMachines)
  }
  return [...decisions.values()]
}

/** One reconcile of a MachineSet that deleted machines, or moved them to another set. */
export interface LoggedChoice {
  reconcile: string
  set: string
  replicas: number
  machineCount: number
  order: string
  /** How many it wanted to be gone. */
  surplus: number
  moveTo?: string
  deleted: string[]
  moved: string[]
}

const DOWN = /^MachineSet is scaling down to (\d+) replicas by (?:deleting|moving) (-?\d+) Machines(?: to (\S+))?$/
const DELETED = /^Machine \S+ deleting \((?:scale down|deleting the Machine instead of moving it)/
const MOVED = /^Triggering in-place update for Machine \S+ \(by moving to MachineSet /

export function choicesIn(text: string, namespace: string, deployment: string): LoggedChoice[] {
  const choices = new Map<string, LoggedChoice>()
  for (const { message, said } of linesIn(text, namespace, deployment)) {
    const reconcile = said.reconcileID ?? ''
    const [, replicas, surplus, moveTo] = DOWN.exec(message) ?? []
    if (replicas !== undefined) {
      const machineCount = Number(said.machineCount)
      const counts = { replicas: Number(replicas), surplus: Number(surplus), machineCount }
      const set = { reconcile, set: bare(said.MachineSet ?? ''), order: said.order ?? '' }
      choices.set(reconcile, { ...set, ...counts, deleted: [], moved: [], ...(moveTo === undefined ? {} : { moveTo }) })
    }
    const choice = choices.get(reconcile)
    if (DELETED.test(message)) choice?.deleted.push(bare(said.Machine ?? ''))
    if (MOVED.test(message)) choice?.moved.push(bare(said.Machine ?? ''))
  }
  return [...choices.values()].filter(({ deleted, moved }) => deleted.length + moved.length > 0)
}
