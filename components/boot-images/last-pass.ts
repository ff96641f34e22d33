import { couldNotBegin } from '@/lib/domain/boot-images/failed-pass'
import { ended } from '@/lib/domain/pools/first-line'
import type { BootImageCard } from '@/lib/services/skew/get-card'

type Of = Pick<BootImageCard, 'pass' | 'mode' | 'passFailed'>

/** What the operator counts. The counts stay what they were when the condition itself drops, as it does in every pass. */
export function lastPass({ pass, mode, passFailed }: Of): string {
  // Where it manages none, and records nothing by itself, there is nothing to say.
  if (!pass || (mode !== 'Automatic' && pass.total === 0 && !pass.errors)) return ''
  const failed = [
    pass.degraded > 0 && `${pass.degraded} failed`,
    pass.skipped > 0 && `${pass.skipped} skipped`,
    pass.controlPlaneDegraded > 0 && 'the control plane’s own set failed',
  ].filter(Boolean)
  const so = pass.underWay ? 'One is under way; so far ' : ''
  const counted = `${so}${pass.reconciled} of ${pass.total} ${pass.total === 1 ? 'machine set is as it should be' : 'machine sets are as they should be'}${failed.length ? `, ${failed.join(', ')}` : ''}.`
  // Once it stood still for some seconds, its words stand above.
  const words = pass.errors && !passFailed ? ` ${ended(pass.errors)}` : ''
  if (pass.underWay || !pass.errors || !couldNotBegin(pass.errors)) return `${counted}${words}`
  return `It came to no machine set.${words}${pass.total > 0 ? ` Of a pass before it: ${counted}` : ''}`
}
