import 'reflect-metadata'
import { generateKeyPairSync, webcrypto } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY = 86_400_000

export interface Pki {
  caPem: string
  certPem: string
  keyPem: string
}

/** A certificate authority and one leaf for loopback, which the API server and all webhooks serve. */
export async function makePki(hosts: string[] = ['localhost', 'kubernetes']): Promise<Pki> {
  const crypto = webcrypto as Crypto
  const dates = { notBefore: new Date(Date.now() - DAY / 24), notAfter: new Date(Date.now() + 30 * DAY) }
  const caKeys = (await crypto.subtle.generateKey(EC, true, ['sign', 'verify'])) as CryptoKeyPair
  const leafKeys = (await crypto.subtle.generateKey(EC, true, ['sign', 'verify'])) as CryptoKeyPair
  const ca = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...dates,
      name: 'CN=testenv',
      keys: caKeys,
      signingAlgorithm: EC,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey, false, crypto),
      ],
    },
    crypto,
  )
  const names: x509.JsonGeneralNames = [
    ...hosts.map((value) => ({ type: 'dns' as const, value })),
    { type: 'ip', value: '127.0.0.1' },
  ]
  const leaf = await x509.X509CertificateGenerator.create(
    {
      ...dates,
      subject: 'CN=localhost',
      issuer: ca.subject,
      publicKey: leafKeys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: EC,
      extensions: [
        new x509.SubjectAlternativeNameExtension(names),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey, false, crypto),
      ],
    },
    crypto,
  )
  const key = await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey)
  return {
    caPem: ca.toString('pem') + '\n',
    certPem: leaf.toString('pem') + '\n',
    keyPem: x509.PemConverter.encode(key, 'PRIVATE KEY') + '\n',
  }
}

/** The same as files, named as the managers expect them, with the key that signs service account tokens. */
export async function writePki(dir: string): Promise<Pki> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const pki = await makePki()
  const secret = { mode: 0o600 }
  writeFileSync(join(dir, 'ca.crt'), pki.caPem)
  writeFileSync(join(dir, 'tls.crt'), pki.certPem)
  writeFileSync(join(dir, 'tls.key'), pki.keyPem, secret)
  const tokens = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  writeFileSync(join(dir, 'sa.key'), tokens.privateKey, secret)
  writeFileSync(join(dir, 'sa.pub'), tokens.publicKey)
  return pki
}
