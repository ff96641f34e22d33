import ipaddr from 'ipaddr.js'

const HEADER = 'x-forwarded-for'

/**
 * Whose address an attempt counts for: the one that connected to us. Only where that is a proxy that
 * DRYDOCK_TRUSTED_PROXY names (addresses or ranges, comma-separated), the last one in its header that is none of those:
 * what stands before it, anybody may have written.
 */
export function peerAddress(peer: string | undefined, forwarded: string | undefined, trusted: string): string {
  const ranges = trustedRanges(trusted)
  const hops = (forwarded ?? '').split(',').map((hop) => hop.trim())
  let address = parse(peer)
  while (address && ranges.some((range) => inside(address!, range)) && hops.length > 0) {
    const before = parse(hops.pop())
    if (!before) break
    address = before
  }
  return address ? address.toString() : 'unknown'
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The proxies that are believed. A word that is no address is a mistake of whoever started us, said in a sentence. */
export function trustedRanges(text: string): Range[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
    .map((word) => {
      if (ipaddr.isValidCIDR(word)) return ipaddr.parseCIDR(word)
      const address = parse(word)
      if (address) return [address, address.kind() === 'ipv4' ? 32 : 128]
      throw new Error(`DRYDOCK_TRUSTED_PROXY names addresses or ranges such as 10.0.0.0/8, not "${word}".`)
    })
}

const inside = (address: ipaddr.IPv4 | ipaddr.IPv6, [range, bits]: Range): boolean =>
  address.kind() === range.kind() && address.match(range, bits)

const parse = (text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  text && ipaddr.isValid(text) ? ipaddr.process(text) : undefined

/** What attempts are counted by: an IPv6 network counts as one, because its owner has all of its addresses. */
export function countedAs(headers: Headers): string {
  const address = parse(headers.get(HEADER)?.split(',').at(-1)?.trim())
  if (!address) return 'unknown'
  if (address.kind() === 'ipv4') return address.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()
}

/** Replaces what a request says about its address by what we know, before anything reads it. */
export function settleAddress(request: {
  headers: Record<string, string | string[] | undefined>
  socket: { remoteAddress?: string | undefined }
}): void {
  const said = request.headers[HEADER]
  const forwarded = Array.isArray(said) ? said.join(',') : said
  request.headers[HEADER] = peerAddress(
    request.socket.remoteAddress,
    forwarded,
    process.env.DRYDOCK_TRUSTED_PROXY ?? '',
  )
}
