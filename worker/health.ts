import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { registry } from './metrics'

export interface Health {
  /** Whether the worker reached its database lately; what it says where it did not. */
  ok: boolean
  message: string
  clusters: number
}

/** GET /healthz for whoever restarts processes, GET /metrics for Prometheus. Plain HTTP: no secret is on it. */
export async function serveHealth(
  port: number,
  host: string,
  health: () => Health,
): Promise<{ port: number; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]
    if (request.method !== 'GET') response.writeHead(405).end()
    else if (path === '/healthz') {
      const now = health()
      response.writeHead(now.ok ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(now))
    } else if (path === '/metrics') {
      registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      )
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
