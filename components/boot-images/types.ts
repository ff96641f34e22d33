import type { ActionResult } from '@/lib/auth'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import type { SkewPreview } from '@/lib/services/skew/preview'

type Act = (input: unknown) => Promise<ActionResult<ActionDto>>

/** The page's server actions, handed down. */
export interface BootImageActions {
  preview(input: unknown): Promise<ActionResult<SkewPreview>>
  acknowledge: Act
  optOut: Act
  automatic: Act
  retry: Act
}

export type Doing = 'acknowledge' | 'opt-out' | 'automatic'
