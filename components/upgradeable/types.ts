import type { ActionResult } from '@/lib/auth'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import type { GatePreview } from '@/lib/services/upgradeable/preview-gate'

type Act = (input: unknown) => Promise<ActionResult<ActionDto>>

/** The page's server actions, handed down. */
export interface GateActions {
  preview(input: unknown): Promise<ActionResult<GatePreview>>
  acknowledge: Act
  withdraw: Act
  retry: Act
}

export type Doing = 'acknowledge' | 'withdraw'
