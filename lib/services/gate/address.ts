import { hostname } from 'node:os'

export interface GateAddress {
  /** Names and addresses in the certificate; the first is the one that is registered. */
  hosts: string[]
  port: number
  listen: string
}

/** Where managers reach the gate: DRYDOCK_GATE_HOST ("drydock.example.com, 10.0.0.5"), DRYDOCK_GATE_PORT, DRYDOCK_GATE_LISTEN. */
export function gateAddress(): GateAddress {
  const given = (process.env.DRYDOCK_GATE_HOST ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter(Boolean)
  const port = Number(process.env.DRYDOCK_GATE_PORT || 9443)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`DRYDOCK_GATE_PORT must be a port between 0 and 65535, not "${process.env.DRYDOCK_GATE_PORT}".`)
  return {
    hosts: given.length > 0 ? given : ['127.0.0.1', 'localhost', hostname()],
    port,
    listen: process.env.DRYDOCK_GATE_LISTEN ?? (given.length > 0 ? '::' : '127.0.0.1'),
  }
}
