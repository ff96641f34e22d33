import type { UpgradeStep } from '@/lib/services/upgrades/cluster-upgrade'
import { waitsFor } from './standing-words'

const STATES: Partial<Record<UpgradeStep['state'], string>> = {
  approved: 'about to start',
  running: 'under way',
  stuck: 'stuck',
  done: 'done',
}

/** Where a group is in the upgrade of its Cluster. */
export function stepWords({
  state,
  due,
  goes,
  listed,
  begun,
}: Omit<UpgradeStep, 'changeId' | 'kind' | 'name'>): string {
  if (state === 'rejected' && !due) return begun ? 'half way, the rest rejected' : 'rejected'
  const said = STATES[state]
  if (said) return said
  // What keeps it is no turn of its: that is told as in lists.
  if (listed && (due || goes) && (begun || listed.timing.paused)) {
    const { words } = waitsFor(listed, undefined, begun)
    return `${words[0]!.toLowerCase()}${words.slice(1)}`
  }
  if (begun) return 'half way, waits for approval'
  return due ? 'approved, waits for its turn' : goes ? 'waits for its turn' : 'waits for approval'
}
