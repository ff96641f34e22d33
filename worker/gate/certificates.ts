import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const HOUR = 3_600_000
export const DAY = 24 * HOUR
const CA_DAYS = 3650
const LEAF_DAYS = 90

export interface Pair {
  certPem: string
  keyPem: string
  notBefore: Date
  notAfter: Date
}

const serial = (): string => `00${randomBytes(15).toString('hex')}`.slice(0, 30)
// A little before now: managers' clocks may be behind.
const validity = (days: number) => ({
  notBefore: new Date(Date.now() - HOUR),
  notAfter: new Date(Date.now() + days * DAY),
})

async function keys(): Promise<CryptoKeyPair> {
  x509.cryptoProvider.set(webcrypto as unknown as Crypto)
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as unknown as CryptoKeyPair
}

async function pemOf(key: CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key as unknown as webcrypto.CryptoKey))
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
}

async function keyFrom(pem: string): Promise<CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  return (await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign'])) as unknown as CryptoKey
}

/** The gate's own authority: it signs nothing but the gate's certificates. */
export async function makeAuthority(): Promise<Pair> {
  const pair = await keys()
  const dates = validity(CA_DAYS)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: serial(),
    name: `CN=Drydock update gate ${randomBytes(4).toString('hex')}`,
    keys: pair,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(pair.publicKey),
    ],
  })
  return { certPem: certificate.toString('pem'), keyPem: await pemOf(pair.privateKey), ...dates }
}

/** A certificate of the authority: of a server for the hosts at which managers reach the gate, or of a client. */
export async function makeLeaf(
  authority: Pick<Pair, 'certPem' | 'keyPem'>,
  hosts: string[],
  usage: 'serverAuth' | 'clientAuth' = 'serverAuth',
): Promise<Pair> {
  const pair = await keys()
  const issuer = new x509.X509Certificate(authority.certPem)
  const dates = validity(LEAF_DAYS)
  const certificate = await x509.X509CertificateGenerator.create({
    ...dates,
    serialNumber: serial(),
    subject: 'CN=drydock-gate',
    issuer: issuer.subject,
    publicKey: pair.publicKey,
    signingKey: await keyFrom(authority.keyPem),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[usage]]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { certPem: certificate.toString('pem'), keyPem: await pemOf(pair.privateKey), ...dates }
}
