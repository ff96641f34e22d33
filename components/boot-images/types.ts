import type { Problem } from '@/components/ui'
import type { SkewActionDto } from '@/lib/services/skew/action-row'
import type { SkewPreview } from '@/lib/services/skew/preview'

type Failed = Problem & { fields?: { field: string; message: string }[] }
type Result<T> = { ok: true; value: T } | { ok: false; error: Failed }
type Act = (input: unknown) => Promise<Result<SkewActionDto>>

/** The page's server actions, handed down. */
export interface BootImageActions {
  preview(input: unknown): Promise<Result<SkewPreview>>
  acknowledge: Act
  optOut: Act
  automatic: Act
  retry: Act
}

export type Doing = 'acknowledge' | 'opt-out' | 'automatic'
export type { Failed }
