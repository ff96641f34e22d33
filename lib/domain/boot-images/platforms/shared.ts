import type { JsonObject } from '../../json'
import type { ArchImages } from '../stream'
import type { BootImage, BootImageState, Cause, ImageContext, Outcome } from '../types'
import type { Arch } from '../stream'

export interface PlatformInput {
  /** provider spec in the form in which the operator writes it */
  spec: JsonObject
  arch: Arch
  /** undefined: the release has nothing for this architecture */
  images: ArchImages | undefined
  context: ImageContext
}

/** A decision before its patch is made: `change` is what becomes of the spec. */
export interface Decision extends Omit<BootImage, 'patch'> {
  change?: JsonObject
}

export type Decide = (input: PlatformInput) => Decision

export const str = (value: unknown): string => (typeof value === 'string' ? value : '')
export const obj = (value: unknown): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {}

/** Shorthand for one platform's answers about one set. */
export const answers =
  (current: string | null, wanted: string | null = null) =>
  (state: BootImageState, outcome: Outcome, cause: Cause, reason: string): Decision => ({
    state,
    outcome,
    cause,
    reason,
    current,
    wanted,
  })

export const CRASH = 'The operator’s controller stops working on such a set.'
