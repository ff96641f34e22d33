import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '@/lib/domain/json'
import { objectKey } from '../paths'
import type { KubeObject } from '../types'

/** A small API server over loopback HTTP, for tests of transport and worker. It validates nothing, and can misbehave. */
export interface FakeServer {
  url: string
  /** Requests so far: "list", "list continue", "watch 7". */
  requests: string[]
  /** Answers the next requests that `matches` in this way instead, `times` times. */
  fault(matches: RegExp, fault: Fault, times?: number): void
  /** From now on lists and watches of these paths are forbidden, in these words. */
  forbid(path: RegExp, message: string): void
  put(name: string, spec?: Record<string, string>, uid?: string): void
  remove(name: string): void
  /** Any object, below a path like "/apis/cluster.x-k8s.io/v1beta2/machines"; version and missing metadata are filled in. */
  putAt(path: string, object: JsonObject): void
  removeAt(path: string, key: string): void
  /** Ends all watches; `gone`: and forgets everything before now. */
  endWatches(gone?: boolean): void
  /** Watches are opened but never say anything. */
  mute: boolean
  watches(): number
  stop(): Promise<void>
}

export type Fault = { code: number; body?: string } | 'reset' | 'truncate' | 'hang' | 'close' | { line: string }

export async function fakeServer(): Promise<FakeServer> {
  const stores = new Map<string, Map<string, KubeObject>>()
  const history: { version: number; path: string; line: string }[] = []
  const watchers = new Map<ServerResponse, string>()
  const forbidden: { path: RegExp; message: string }[] = []
  const faults: { matches: RegExp; fault: Fault; times: number }[] = []
  let version = 1
  let oldest = 0

  const store = (path: string) => {
    let objects = stores.get(path)
    if (!objects) stores.set(path, (objects = new Map()))
    return objects
  }
  const emit = (path: string, type: string, object: KubeObject) => {
    const line = JSON.stringify({ type, object }) + '\n'
    history.push({ version, path, line })
    if (!fake.mute) for (const [watcher, watched] of watchers) if (watched === path) watcher.write(line)
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x')
    const kind = kindOf(url)
    fake.requests.push(kind)
    const fault = faults.find((f) => f.times > 0 && f.matches.test(kind))
    if (fault) fault.times--
    if (fault && misbehave(fault.fault, request, response, url)) return
    const no = forbidden.find(({ path }) => path.test(url.pathname))
    if (no) {
      response.statusCode = 403
      response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: no.message }))
    } else if (url.pathname === '/version') response.end('{"gitVersion":"v1.34.2"}')
    else if (url.searchParams.has('watch')) watch(url, response)
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
    const all = [...store(url.pathname).values()]
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
    if (!fake.mute)
      for (const event of history) {
        if (event.version > from && event.path === url.pathname) response.write(event.line)
      }
    watchers.set(response, url.pathname)
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
    forbid: (path, message) => void forbidden.push({ path, message }),
    put: (name, spec = {}, uid) =>
      fake.putAt(THINGS, { kind: 'Thing', metadata: { name, namespace: 'ns', ...(uid && { uid }) }, spec }),
    remove: (name) => fake.removeAt(THINGS, `ns/${name}`),
    putAt(path, given) {
      const { metadata, ...rest } = given as unknown as KubeObject
      const key = objectKey({ metadata })
      const before = store(path).get(key)
      const object: KubeObject = {
        ...rest,
        apiVersion: rest.apiVersion ?? 'v1',
        metadata: {
          ...metadata,
          uid: metadata.uid ?? before?.metadata.uid ?? `uid-${metadata.name}`,
          creationTimestamp: metadata.creationTimestamp ?? '2026-01-01T00:00:00Z',
          resourceVersion: String(++version),
        },
      }
      store(path).set(key, object)
      emit(path, before ? 'MODIFIED' : 'ADDED', object)
    },
    removeAt(path, key) {
      const object = store(path).get(key)!
      store(path).delete(key)
      emit(path, 'DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } })
    },
    endWatches(gone = false) {
      if (gone) {
        oldest = ++version
        history.length = 0
      }
      for (const watcher of watchers.keys()) watcher.end()
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

const THINGS = '/apis/x.io/v1/things'

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
