import { backoffDelay, pause } from '@/lib/kubernetes/backoff'
import { log as workerLog, type Log } from '../log'
import { gateAddress } from '@/lib/services/gate/address'
import { clientAuthorities, followAuthorities } from './client-certificates'
import { cachedCertificate, ensureCertificate } from './keys'
import { serveGate, type GateServer, type Material } from './server'

export interface GateOptions {
  /** Address to listen on; absent: all. */
  host?: string
  /** 0 chooses one; absent: DRYDOCK_GATE_PORT or 9443. */
  port?: number
  /** Names and addresses under which managers reach it; absent: from DRYDOCK_GATE_HOST. */
  hosts?: string[]
  log?: Log
}

export interface Gate {
  /** Base address, without the path of a cluster. */
  url: string
  port: number
  stop(): Promise<void>
}

/** What another worker renewed is served here so soon. */
const LOOK_MS = 30_000

/** The update gate: Cluster API's Runtime Extension. It starts without a database where it has run before. */
export async function startGate(options: GateOptions = {}): Promise<Gate> {
  const log = options.log ?? workerLog
  const address = gateAddress()
  const hosts = options.hosts ?? address.hosts
  const abort = new AbortController()
  const cached = cachedCertificate(hosts)
  const material: Material = cached ?? (await ensureCertificate(hosts))
  const clientCa = clientAuthorities()
  const server = await serveGate({
    host: options.host ?? address.listen,
    port: options.port ?? address.port,
    material,
    clientCa,
    log,
  })
  const unfollow = clientCa === null ? () => undefined : followAuthorities(clientCa, server.trust, log)
  const renewing = keepRenewing(server, hosts, cached !== null, material, abort.signal, log)
  return {
    url: `https://${hosts[0]!.includes(':') ? `[${hosts[0]}]` : hosts[0]}:${server.port}`,
    port: server.port,
    stop: async () => {
      abort.abort()
      unfollow()
      await renewing
      await server.stop()
    },
  }
}

/** Looks whether there is a newer certificate, or one is due, and takes it without closing anything. */
async function keepRenewing(
  server: GateServer,
  hosts: string[],
  atOnce: boolean,
  first: Material,
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  let served = first.certPem
  if (!atOnce) await pause(LOOK_MS, signal)
  for (let attempt = 0; !signal.aborted;) {
    try {
      const material = await ensureCertificate(hosts)
      if (material.certPem !== served) server.renew(material)
      served = material.certPem
      attempt = 0
      await pause(LOOK_MS, signal)
    } catch (error) {
      log.warn({ err: error }, 'the gate’s certificate could not be looked after; trying again')
      await pause(backoffDelay(attempt++, { floorMs: 1_000, capMs: 60_000 }), signal)
    }
  }
}
