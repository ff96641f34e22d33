import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { settleAddress, trustedRanges } from './address'

/** Once per web process: every request that it gets carries the address that connected, not the one it claims. */
export function settleAddresses(): void {
  trustedRanges(process.env.DRYDOCK_TRUSTED_PROXY ?? '') // says at the start what is wrong with it
  subscribe('http.server.request.start', (message) => settleAddress((message as { request: IncomingMessage }).request))
}
