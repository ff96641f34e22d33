import type { ActionResult } from '@/lib/auth'
import type { StepActions } from '@/components/openshift/action-steps'
import type { Act } from '@/components/openshift/use-decision'
import type { ManagedPreview } from '@/lib/services/boot-images/preview-managed'
import type { SkewPreview } from '@/lib/services/skew/preview'

/** The page's server actions, handed down. */
export interface BootImageActions extends StepActions {
  preview(input: unknown): Promise<ActionResult<SkewPreview>>
  acknowledge: Act
  optOut: Act
  automatic: Act
  previewManaged(input: unknown): Promise<ActionResult<ManagedPreview>>
  setManaged: Act
}

export type Doing = 'acknowledge' | 'opt-out' | 'automatic'
export type SeveralDoing = Doing | 'managed'
