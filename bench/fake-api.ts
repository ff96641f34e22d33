import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { machine, machineDeployment, machineSet } from '@/lib/providers/cluster-api/testing/objects'
import type { KubeObject } from '@/lib/kubernetes/types'

/**
 * A fake API server in a process of its own, on loopback only: so many realistic Machines, in lists and one watch.
 * Told over the process channel: {change: n} changes n machines and announces them on the watch.
 */
const count = Math.min(Number(process.argv[2] ?? 10_000), 100_000)
const PER_GROUP = 100
const groups = Math.ceil(count / PER_GROUP)

const uuid = (of: string): string =>
  createHash('sha256')
    .update(of)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

function made(i: number, version: number, kubernetes = 'v1.34.0'): Buffer {
  const group = Math.floor(i / PER_GROUP)
  const name = `md-${group}-abcde-${String(i % PER_GROUP).padStart(5, '0')}`
  const object = machine({
    name,
    uid: uuid(name),
    cluster: `c${group % 10}`,
    deployment: `md-${group}`,
    machineSet: `md-${group}-abcde`,
    version: kubernetes,
    metadata: { resourceVersion: String(version) },
  })
  return Buffer.from(JSON.stringify(object))
}

const identified = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: uuid(object.kind + object.metadata.name) },
})
const bodies: Record<string, Buffer[]> = {
  machines: Array.from({ length: count }, (_, i) => made(i, i + 1)),
  machinedeployments: Array.from({ length: groups }, (_, g) =>
    Buffer.from(JSON.stringify(identified(machineDeployment(`md-${g}`)))),
  ),
  machinesets: Array.from({ length: groups }, (_, g) =>
    Buffer.from(JSON.stringify(identified(machineSet(`md-${g}-abcde`, `md-${g}`)))),
  ),
}

let version = count + 1
let turn = 0
const watchers = new Set<ServerResponse>()

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://x')
  const plural = url.pathname.split('/').pop() ?? ''
  if (url.pathname === '/version') return void response.end('{"gitVersion":"v1.34.2"}')
  if (url.searchParams.has('watch')) {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    if (plural !== 'machines') return
    watchers.add(response)
    response.on('close', () => watchers.delete(response))
    return
  }
  const all = bodies[plural] ?? []
  const from = Number(url.searchParams.get('continue') ?? 0)
  const to = Math.min(all.length, from + Number(url.searchParams.get('limit') ?? 500))
  const parts: Buffer[] = [Buffer.from('{"apiVersion":"cluster.x-k8s.io/v1beta2","items":[')]
  for (let i = from; i < to; i++) parts.push(all[i]!, COMMA)
  if (to > from) parts.pop()
  const next = to < all.length ? String(to) : ''
  parts.push(Buffer.from(`],"kind":"List","metadata":{"continue":"${next}","resourceVersion":"${count + 1}"}}`))
  response.setHeader('content-type', 'application/json')
  response.end(Buffer.concat(parts))
})
const COMMA = Buffer.from(',')

process.on('message', ({ change }: { change: number }) => {
  for (let n = 0; n < change; n++) {
    // A prime: no machine gets the version that it had some thousands of changes ago.
    const body = made(turn++ % count, ++version, `v1.35.${version % 997}`)
    const line = Buffer.concat([Buffer.from('{"type":"MODIFIED","object":'), body, Buffer.from('}\n')])
    for (const watcher of watchers) watcher.write(line)
  }
})
// Whoever started it may be killed: then this one ends too.
process.on('disconnect', () => process.exit(0))

server.listen(0, '127.0.0.1', () => {
  const bytes = bodies.machines!.reduce((sum, body) => sum + body.length, 0)
  process.send?.({
    port: (server.address() as AddressInfo).port,
    bytesPerMachine: Math.round(bytes / Math.max(1, count)),
  })
})
