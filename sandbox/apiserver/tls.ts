import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY = 24 * 60 * 60 * 1000

export interface ServerCertificate {
  caPem: string
  certPem: string
  keyPem: string
}

/** A certificate authority and a certificate of it for loopback, made anew for every server. */
export async function makeCertificate(): Promise<ServerCertificate> {
  x509.cryptoProvider.set(webcrypto as unknown as Crypto)
  const notBefore = new Date(Date.now() - DAY)
  const notAfter = new Date(Date.now() + 365 * DAY)
  const make = () =>
    webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as unknown as Promise<CryptoKeyPair>
  const [caKeys, keys] = await Promise.all([make(), make()])
  const common = { notBefore, notAfter, signingAlgorithm: ALGORITHM }
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...common,
    serialNumber: randomBytes(8).toString('hex'),
    name: `CN=sandbox-ca-${randomBytes(4).toString('hex')}`,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  })
  const certificate = await x509.X509CertificateGenerator.create({
    ...common,
    serialNumber: randomBytes(8).toString('hex'),
    subject: 'CN=kube-apiserver',
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  })
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey as unknown as webcrypto.CryptoKey))
  const keyPem = `-----BEGIN PRIVATE KEY-----\n${key.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
  return { caPem: ca.toString('pem'), certPem: certificate.toString('pem'), keyPem }
}
