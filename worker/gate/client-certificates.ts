import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createSecureContext, type TLSSocket } from 'node:tls'
import type { Log } from '../log'

const LOOK_MS = 30_000

/**
 * The authorities whose client certificates managers have to show (`--runtime-extension-client-cert-file` of Cluster API's managers), from
 * DRYDOCK_GATE_CLIENT_CA_FILE; null: none is asked for. Throws where the file is named and is no such thing: nobody is let in
 * by a mistake.
 */
export function clientAuthorities(file = process.env.DRYDOCK_GATE_CLIENT_CA_FILE): string | null {
  if (!file) return null
  const pem = readFileSync(file, 'utf8')
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(`DRYDOCK_GATE_CLIENT_CA_FILE (${file}) holds no certificate in PEM.`)
  createSecureContext({ ca: pem })
  return pem
}

/** Looks again whether the file holds others by now. What cannot be read leaves those that are known. */
export function followAuthorities(known: string, changed: (pem: string) => void, log: Log): () => void {
  let last = known
  const timer = setInterval(() => {
    try {
      const now = clientAuthorities()
      if (now && now !== last) changed((last = now))
    } catch (error) {
      log.warn(
        { err: error },
        'the authorities of client certificates could not be read anew; those that are known stay',
      )
    }
  }, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Whether whoever asks has shown a certificate that one of the authorities signed for clients. A session of TLS 1.3 that is taken up
 * again is called authorized also where none was ever shown in it.
 */
export function hasShownOne({ socket }: IncomingMessage): boolean {
  const tls = socket as TLSSocket
  return tls.authorized === true && tls.getPeerX509Certificate() !== undefined
}
