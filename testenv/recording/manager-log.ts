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
const VALUE = /(\w+)=("(?:[^"\\]|\\.)*"|\{[^}]*\})/g
const DID: [RegExp, LoggedChange['what']][] = [
  [/^MachineSet \S+ created, it is now the (current) MachineSet$/, 'created'],
  [/^Scaled (?:up|down) (current|old) MachineSet \S+ from \d+ to \d+ replicas/, 'scaled'],
  [/^Updated (current|old) MachineSet \S+$/, 'updated'],
]

const names = (list: string | undefined) => list?.split(',').filter(Boolean)
const bare = (name: string) => name.slice(name.indexOf('/') + 1)

/** Reads what the core manager logs about one MachineDeployment at its usual level (klog's text form). */
export function decisionsIn(text: string, namespace: string, deployment: string): LoggedDecision[] {
  const decisions = new Map<string, LoggedDecision>()
  for (const line of text.split('\n')) {
    if (!line.includes(`MachineDeployment="${namespace}/${deployment}"`) || !line.includes('machineSets={')) continue
    const message = JSON.parse(MESSAGE.exec(line)?.[1] ?? '""') as string
    const did = DID.map(([form, what]) => ({ what, kind: form.exec(message)?.[1] })).find(({ kind }) => kind)
    if (!did) continue
    const rest = line.slice(line.indexOf(message) + message.length)
    const value = Object.fromEntries(
      [...rest.matchAll(VALUE)].map(([, key, json]) => [key, JSON.parse(json!) as unknown]),
    )
    const said = value as Record<string, string | undefined>
    const reconcile = said.reconcileID ?? ''
    const decision = decisions.get(reconcile) ?? { reconcile, changes: [], summaries: {} }
    decisions.set(reconcile, decision)
    decision.summaries = value.machineSets as Record<string, string>
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
