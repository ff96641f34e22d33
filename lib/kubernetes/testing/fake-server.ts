import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KubeObject } from '../types'

/** A small API server of one resource over loopback HTTP, for tests of the transport alone. It can misbehave. */
export interface FakeServer {
  url: string
  /** Requests so far: "list", "list continue", "watch 7". */
  requests: string[]
  /** Answers the next requests that `matches` in this way instead, `times` times. */
  fault(matches: RegExp, fault: Fault, times?: number): void
  put(name: string, spec?: Record<string, string>, uid?: string): void
  remove(name: string): void
  /** Ends all watches; `gone`: and forgets everything before now. */
  endWatches(gone?: boolean): void
  /** Watches are opened but never say anything. */
  mute: boolean
  watches(): number
  stop(): Promise<void>
}

export type Fault = { code: number; body?: string } | 'reset' | 'truncate' | 'hang' | 'close' | { line: string }

export async function fakeServer(): Promise<FakeServer> {
  const objects = new Map<string, KubeObject>()
  const history: { version: number; line: string }[] = []
  const watchers = new Set<ServerResponse>()
  const faults: { matches: RegExp; fault: Fault; times: number }[] = []
  let version = 1
  let oldest = 0

  const emit = (type: string, object: KubeObject) => {
    const line = JSON.stringify({ type, object }) + '\n'
    history.push({ version, line })
    if (!fake.mute) for (const watcher of watchers) watcher.write(line)
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x')
    const kind = kindOf(url)
    fake.requests.push(kind)
    const fault = faults.find((f) => f.times > 0 && f.matches.test(kind))
    if (fault) fault.times--
    if (fault && misbehave(fault.fault, request, response, url)) return
    if (url.searchParams.has('watch')) watch(url, response)
    else response.end(JSON.stringify(page(url, response)))
  })

  function page(url: URL, response: ServerResponse) {
    const limit = Number(url.searchParams.get('limit'))
    const token = url.searchParams.get('continue')
    const [at, from] = token ? token.split(':').map(Number) : [version, 0]
    if (at! < oldest) {
      response.statusCode = 410
      return { kind: 'Status', code: 410, reason: 'Expired', message: 'The provided continue parameter is too old.' }
    }
    const all = [...objects.values()]
    const items = all.slice(from!, from! + limit)
    const next = from! + limit < all.length ? `${at}:${from! + limit}` : ''
    // As the API server orders keys of custom resources: metadata come last.
    return { apiVersion: 'v1', items, kind: 'ThingList', metadata: { continue: next, resourceVersion: String(at) } }
  }

  function watch(url: URL, response: ServerResponse) {
    const from = Number(url.searchParams.get('resourceVersion'))
    response.writeHead(200, { 'content-type': 'application/json' })
    if (from < oldest) {
      const status = { kind: 'Status', code: 410, reason: 'Expired', message: `too old resource version: ${from}` }
      return response.end(JSON.stringify({ type: 'ERROR', object: status }) + '\n')
    }
    response.flushHeaders()
    if (!fake.mute) for (const event of history) if (event.version > from) response.write(event.line)
    watchers.add(response)
    response.on('close', () => watchers.delete(response))
  }

  function misbehave(fault: Fault, request: IncomingMessage, response: ServerResponse, url: URL): boolean {
    if (fault === 'reset') request.socket.resetAndDestroy()
    else if (fault === 'close') response.end()
    else if (fault === 'truncate') response.end(JSON.stringify(page(url, response)).slice(0, -40))
    else if (typeof fault === 'object' && 'code' in fault) {
      response.statusCode = fault.code
      response.end(fault.body ?? JSON.stringify({ kind: 'Status', code: fault.code, message: `fault ${fault.code}` }))
    } else if (typeof fault === 'object') response.end(fault.line + '\n')
    return true
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    mute: false,
    fault: (matches, fault, times = 1) => void faults.push({ matches, fault, times }),
    put(name, spec = {}, uid) {
      const before = objects.get(name)
      const metadata = {
        name,
        namespace: 'ns',
        uid: uid ?? before?.metadata.uid ?? `uid-${name}`,
        resourceVersion: String(++version),
        creationTimestamp: '2026-01-01T00:00:00Z',
      }
      const object: KubeObject = { apiVersion: 'v1', kind: 'Thing', metadata, spec }
      objects.set(name, object)
      emit(before ? 'MODIFIED' : 'ADDED', object)
    },
    remove(name) {
      const object = objects.get(name)!
      objects.delete(name)
      emit('DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } })
    },
    endWatches(gone = false) {
      if (gone) {
        oldest = ++version
        history.length = 0
      }
      for (const watcher of watchers) watcher.end()
      watchers.clear()
    },
    watches: () => watchers.size,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return fake
}

const kindOf = ({ searchParams: q }: URL): string => {
  if (q.has('watch')) return `watch ${q.get('resourceVersion')}`
  return [
    'list',
    q.has('continue') && 'continue',
    q.has('resourceVersionMatch') && `not older than ${q.get('resourceVersion')}`,
  ]
    .filter(Boolean)
    .join(' ')
}
