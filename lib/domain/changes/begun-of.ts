import type { Outlook } from './types'

export type Begun = 'some' | 'all'

/** Held in the middle, or when all of its nodes had begun: then nothing is left that waits. Null: nothing has begun. */
export function begunOf({ outlook }: { outlook?: Pick<Outlook, 'before' | 'inPlace'> | undefined }): Begun | null {
  const { before, inPlace } = outlook ?? {}
  if (!before) return null
  return before.underWay && (inPlace?.counts['in-place'] ?? 0) <= before.underWay ? 'all' : 'some'
}
