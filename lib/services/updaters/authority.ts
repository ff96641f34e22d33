import { X509Certificate } from 'node:crypto'

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates of a bundle in PEM; null: there is none, or one that cannot be read. */
export function certificatesIn(pem: string): X509Certificate[] | null {
  const blocks = pem.match(CERTIFICATES) ?? []
  try {
    return blocks.length > 0 ? blocks.map((block) => new X509Certificate(block)) : null
  } catch {
    return null
  }
}

/** When the earliest of its certificates ends; null: that cannot be read. */
export function earliestEnd(pem: string): string | null {
  const ends = certificatesIn(pem)?.map(({ validTo }) => Date.parse(validTo))
  return ends ? new Date(Math.min(...ends)).toISOString() : null
}

/** What an audit says of a bundle: short, and the same for the same certificates. */
export const fingerprintsOf = (pem: string): string[] =>
  certificatesIn(pem)?.map(({ fingerprint256 }) => `SHA-256 ${fingerprint256}`) ?? []
