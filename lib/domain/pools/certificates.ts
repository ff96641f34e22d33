import type { Certificate } from './types'

/** The operator says "0001-01-01T00:00:00Z" where it does not know. */
const known = ({ expiry }: Certificate): boolean => Date.parse(expiry) > 0

/** The one that expires first; one that has expired counts as well. Null: the pool names none. */
export function firstToExpire(certificates: readonly Certificate[]): Certificate | null {
  const dated = certificates.filter(known)
  return dated.reduce<Certificate | null>(
    (first, next) => (first && Date.parse(first.expiry) <= Date.parse(next.expiry) ? first : next),
    null,
  )
}

/** Rotated well before it expires: a signer of a year about 73 days before, so that is when a paused pool begins to miss something. */
export const SOON_DAYS = 73

/** Days left, negative once it has expired; whether that is so near that a rotation is due or done. */
export function leftOf(certificate: Certificate, now: number): { days: number; soon: boolean } {
  const days = Math.floor((Date.parse(certificate.expiry) - now) / 86_400_000)
  return { days, soon: days < SOON_DAYS }
}

/** CN of a subject as Go prints it: "CN=kube-apiserver-lb-signer,OU=openshift". */
export const commonName = ({ subject }: Certificate): string => /(?:^|,)CN=([^,]+)/.exec(subject)?.[1] ?? subject
