/**
 * Two things from outside that a log does not say where they happen, but only what came of them: which template the
 * user wants, and what the updater answers. Nothing else is looked up ahead.
 */
export interface Foreseen {
  /** The MachineSet that has the wanted template already at the start. */
  wanted?: string
  /** Old MachineSets that can be updated in place. */
  canUpdate: Set<string>
}

const CURRENT = /^ +- (?:Scaled up|Scaled down|Updated) current MachineSet (\S+)(?: |$)/
const CREATED = /^ +- MachineSet \S+ created, it is now the current MachineSet$/
const OLD = /^ +- (?:Scaled down|Updated) old MachineSet (\S+)(?: |$)/
const HOLDER = /^ {4}(\S+): .* \([^)]+\)$/
const MOVES = /^ +- Diff: (?:.*,)?\S*\/move-machines-to-machineset: /

/** Where the deployment's controller never ran: the one set that has machines in the end. */
function holderAtTheEnd(lines: readonly string[]): string | undefined {
  const end = lines.indexOf('[Test] Final state')
  const holders = lines.slice(end).flatMap((line) => HOLDER.exec(line)?.[1] ?? [])
  return end >= 0 && holders.length === 1 ? holders[0] : undefined
}

export function foreseen(lines: readonly string[]): Foreseen {
  const canUpdate = new Set<string>()
  let old: string | undefined
  for (const line of lines) {
    // What a pass says of a set is indented deeper than the set's own line.
    if (!line.startsWith('      ')) old = undefined
    old = OLD.exec(line)?.[1] ?? old
    if (old !== undefined && MOVES.test(line)) canUpdate.add(old)
  }
  const first = lines.find((line) => CREATED.test(line) || CURRENT.test(line))
  const wanted = first === undefined ? holderAtTheEnd(lines) : CURRENT.exec(first)?.[1]
  return { canUpdate, ...(wanted !== undefined ? { wanted } : {}) }
}
