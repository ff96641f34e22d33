import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import ipaddr from 'ipaddr.js'

/** Cloud metadata services outside the link-local range (Alibaba, Azure's wire server, Oracle, EC2 and Google over IPv6). */
const METADATA = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'])
const METADATA_NAMES = new Set(['metadata.google.internal', 'metadata', 'instance-data', 'metadata.azure.internal'])

/** Why Drydock never connects to this address or host name; null: it may. */
export function refusedAddress(host: string): string | null {
  const bare = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (METADATA_NAMES.has(bare)) return `${bare} is a cloud metadata service.`
  if (!ipaddr.isValid(bare)) return null
  const address = embedded(ipaddr.process(bare))
  const plain = address.toString()
  if (METADATA.has(plain)) return `${plain} is a cloud metadata service.`
  const range = address.range()
  if (range === 'linkLocal') return `${plain} is a link-local address; cloud metadata services live there.`
  if (range === 'unspecified' || range === 'multicast' || range === 'broadcast')
    return `${plain} is not the address of a server.`
  return null
}

type Address = ReturnType<typeof ipaddr.process>

/** The IPv4 address that an IPv6 one leads to through a translator or tunnel (NAT64, 6to4, the old compatible form). */
function embedded(address: Address): Address {
  if (address.kind() === 'ipv4') return address
  const { parts } = address as ipaddr.IPv6
  const v4 = (at: number) => new ipaddr.IPv4([at, at + 1].flatMap((i) => [parts[i]! >> 8, parts[i]! & 0xff]))
  const begins = (...prefix: number[]) => prefix.every((part, i) => parts[i] === part)
  if (begins(0x64, 0xff9b, 0, 0, 0, 0) || (begins(0, 0, 0, 0, 0, 0) && parts[6] !== 0)) return v4(6)
  return begins(0x2002) ? v4(1) : address
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

/** For sockets: resolves as usual and refuses names that lead to a refused address, at connect time (DNS rebinding). */
export function guardedLookup(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '')
    const bad = addresses.map((a) => refusedAddress(a.address)).find(Boolean)
    if (bad)
      return callback(
        Object.assign(new Error(`${hostname} resolves to a refused address: ${bad}`), { code: 'EREFUSED' }),
        '',
      )
    if (options.all) return callback(null, addresses)
    const first = addresses[0]!
    callback(null, first.address, first.family)
  })
}
