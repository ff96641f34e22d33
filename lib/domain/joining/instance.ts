const RUNS = ['running', 'poweredon', 'succeeded', 'active']
const NOT = [
  'stopped',
  'stopping',
  'terminated',
  'terminating',
  'shutting-down',
  'poweredoff',
  'suspended',
  'suspending',
  'deallocated',
  'deallocating',
  'failed',
]

/** Whether an instance runs, by what its provider calls its state; null: that says neither. */
export function runs(state: string | null): boolean | null {
  const word = (state ?? '').toLowerCase()
  if (RUNS.includes(word)) return true
  return NOT.includes(word) ? false : null
}
