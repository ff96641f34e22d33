import { capital } from '@/lib/domain/text'
import { holdEnds } from '@/lib/domain/holds'
import { SOON_DAYS } from '@/lib/domain/pools/certificates'

/** So near the end of a certificate that holding its pool is called dangerous everywhere. */
export const isNearEnd = (expiry: Date | null): boolean => (holdEnds(expiry)?.getTime() ?? Infinity) <= Date.now()

/** What the end of the first certificate that its nodes trust brings to a paused pool; empty: that is not near. */
export function rotationWords(expiry: Date | null): string {
  const left = (expiry?.getTime() ?? Infinity) - Date.now()
  if (!expiry || left >= SOON_DAYS * 86_400_000) return ''
  const words = expiryWords(expiry)
  return isNearEnd(expiry) ? `That is dangerous: ${words}.` : `${capital(words)}, and is rotated before.`
}

/** "a certificate that its nodes trust expires on 2026-12-09" */
export const expiryWords = (expiry: Date): string =>
  `a certificate that its nodes trust ${expiry.getTime() > Date.now() ? 'expires' : 'expired'} on ${expiry.toISOString().slice(0, 10)}`
