import type { Json } from '../json'
import { isObject } from './canonical'
import { maskedText, pathKeys, type Digest } from './diff'
import type { FieldChange } from './types'

export const MASK = '••••••'

const KEY = /^(token|.*password|passwd|.*secret|.*privatekey|certificatekey|content|userdata|credentials?|.*apikey)$/i
const VALUE = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\b[a-z0-9]{6}\.[a-z0-9]{16}\b/
/** Words that a command or an environment uses to carry a credential. */
const COMMAND = /(password|passwd|token|secret|authorization)\s*[=:]\s*\S+|--(password|token)\s+\S+/i

const names = (path: string): string[] => pathKeys(path).filter((key): key is string => typeof key === 'string')

export function secretIn(value: Json | undefined): boolean {
  if (typeof value === 'string') return VALUE.test(value) || COMMAND.test(value)
  if (Array.isArray(value)) return value.some(secretIn)
  return isObject(value) && Object.entries(value).some(([key, inner]) => KEY.test(key) || secretIn(inner))
}

/** Whether what stands at and below a path counts as a credential by a word of the path. */
export const tells = (path: string): boolean => names(path).some((key) => KEY.test(key))

/**
 * Field changes of a pair as they may be stored and shown. Fingerprints are made before, from the real values. `digest`
 * is one under a key: a plain hash of a short password could be guessed.
 */
export function masked(changes: readonly FieldChange[], pair: string, digest: Digest): FieldChange[] {
  return changes.map((change) => {
    const secret = tells(change.path) || secretIn(change.current) || secretIn(change.desired)
    if (!secret) return change
    return {
      ...change,
      secret: true,
      ...('current' in change ? { current: MASK } : {}),
      ...('desired' in change ? { desired: MASK, digest: digest(maskedText(pair, change, change.desired)) } : {}),
    }
  })
}

/** A hook body for a log: every value below a telling key, and every value that looks like a credential, is masked. */
export function redacted(value: Json): Json {
  if (typeof value === 'string') return VALUE.test(value) || COMMAND.test(value) ? MASK : value
  if (Array.isArray(value)) return value.map(redacted)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, KEY.test(key) ? MASK : redacted(inner)]))
}

/** Also of a key whose end was cut off. */
export const withoutKeys = (text: string): string => text.replace(/-----BEGIN [^]*?(?:-----END [A-Z ]*-----|$)/g, MASK)

/** Text of somebody else, for a message: credentials in it are masked, and it is short. */
export function safeText(text: string, length = 300): string {
  return withoutKeys(text)
    .replace(new RegExp(VALUE.source, 'g'), MASK)
    .replace(new RegExp(COMMAND.source, 'gi'), MASK)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, length)
}
