import { safeText } from '../changes/secrets'
import type { ErrorFacts } from './types'

/** How an unknown error is counted: the same whatever machine, id, moment or address it names. */
export interface UnknownError {
  provider: string
  condition: string
  reason: string
  /** The message with everything masked that differs from machine to machine. */
  message: string
  /** One of them as it was, but for what may be a credential. */
  example: string
}

const LOOKED_AT = 2_000
const KEPT = 500

/** Masks quotes, numbers, ids, addresses and the names that belong to the machine. Every step goes over the text once. */
export function normalise(message: string, names: readonly (string | null)[] = []): string {
  let text = message.slice(0, LOOKED_AT)
  for (const name of new Set(names)) if (name && name.length > 2) text = text.replaceAll(name, '…')
  return text
    .replace(/"[^"]*"|`[^`]*`/g, '"…"')
    .split(/\s+/)
    .map(masked)
    .join(' ')
    .trim()
    .slice(0, KEPT)
}

const masked = (word: string): string => {
  if (word.includes('://')) return '<address>'
  // Punctuation around a number belongs to the sentence.
  return /\d/.test(word) ? `${/^[([{]/.exec(word)?.[0] ?? ''}#${/[)\]}.,:;]{1,3}$/.exec(word)?.[0] ?? ''}` : word
}

const withoutQueries = (text: string): string => text.replace(/\?[^\s"'<>]{1,2000}/g, '?…')

export const unknownError = (facts: ErrorFacts, names: readonly (string | null)[]): UnknownError => ({
  provider: facts.infrastructure ?? facts.api,
  condition: facts.condition ?? '',
  reason: facts.reason ?? '',
  message: normalise(safeText(facts.message.slice(0, LOOKED_AT), LOOKED_AT), names),
  example: safeText(withoutQueries(facts.message.slice(0, LOOKED_AT)), LOOKED_AT),
})

export const unknownKey = ({ provider, condition, reason, message }: UnknownError): string =>
  JSON.stringify([provider, condition, reason, message])
