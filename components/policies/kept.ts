import * as z from 'zod'
import { EMPTY, EMPTY_SPAN, EMPTY_WAVE, type Typed } from './typed'

/** What is new since it was kept is empty; whatever is no text does not fit. */
function textsOf<T extends object>(empty: T) {
  const texts = Object.entries(empty).filter(([, value]) => typeof value === 'string')
  return z.object(Object.fromEntries(texts.map(([key]) => [key, z.string().default('')])))
}

const Spans = z.array(textsOf(EMPTY_SPAN).transform((span) => ({ ...EMPTY_SPAN, ...span }))).default([])
const Waves = z.array(textsOf(EMPTY_WAVE).transform((wave) => ({ ...EMPTY_WAVE, ...wave }))).default([])
const Kept = textsOf(EMPTY).extend({ windows: Spans, freezes: Spans, waves: Waves })

/** What was kept, as it was typed; null: nothing, or another version of Drydock kept it, and it does not fit. */
export function keptTyped(kept: string | null): Typed | null {
  if (kept === null) return null
  try {
    return { ...EMPTY, ...Kept.parse(JSON.parse(kept)) }
  } catch {
    return null
  }
}

/**
 * Of one person, for whoever signs in next in the same tab: and of one version, for what was typed over another one would undo
 * what somebody else wrote.
 */
export const keptAs = (userId: string, policy: { id: string; version: number } | null): string =>
  `policy ${userId} ${policy ? `${policy.id} ${policy.version}` : 'new'}`
