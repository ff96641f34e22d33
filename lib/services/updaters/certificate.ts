import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { guardedLookup, refusedAddress } from '@/lib/kubernetes/addresses'
import type { UpdaterTarget } from './transport'

/** Until when the certificate holds that the updater shows; null: none could be had. What it says is not read. */
export function certificateEnd(updater: UpdaterTarget, timeoutMs = 5_000): Promise<Date | null> {
  const { hostname, port } = new URL(updater.url)
  if (refusedAddress(hostname)) return Promise.resolve(null)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({
      ...{ host, port: Number(port || 443), ca: updater.caPem, lookup: guardedLookup, timeout: timeoutMs },
      ...(isIP(host) ? {} : { servername: host }),
    })
    const end = (at: Date | null) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(at)
    }
    const timer = setTimeout(() => end(null), timeoutMs)
    socket.once('secureConnect', () => {
      const at = new Date(socket.getPeerCertificate().valid_to)
      end(Number.isNaN(at.getTime()) ? null : at)
    })
    socket.once('error', () => end(null))
  })
}
