import type { ActionResult } from '@/lib/auth'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import type { PoolPreview } from '@/lib/services/pools/preview-pool'

/** `stay`: the same call as a pause, of one whose review is due. */
export type Doing = 'pause' | 'resume' | 'stay'

/** Server actions of the page. */
export interface PoolActions {
  preview(input: unknown): Promise<ActionResult<PoolPreview>>
  pause(input: unknown): Promise<ActionResult<ActionDto>>
  resume(input: unknown): Promise<ActionResult<ActionDto>>
  retry(input: unknown): Promise<ActionResult<ActionDto>>
}
