import type { ServerResponse } from 'node:http'
import type { SandboxObject } from '../../types'
import type { FaultState } from '../faults'
import { apiVersionOf, nameOf, type Resource } from '../resources'
import { expired } from '../status'
import type { Change } from '../storage/history'
import type { Objectbase } from '../storage/objects'
import { isTrue } from './request'
import { selectorOf, shownText, versionOf } from './list'

/** A client that takes nothing is let go before the server's memory is full of what it was to be told. */
const MAX_BUFFERED = 64 * 1024 * 1024

interface Options {
  resource: Resource
  version: string
  namespace?: string
  query: URLSearchParams
}

/** All open watches. */
export class Watches {
  private readonly open = new Set<{ response: ServerResponse; resource: string }>()

  constructor(
    private readonly base: Objectbase,
    private readonly faults: FaultState,
    private readonly bookmarkMs: number,
  ) {}

  /** Ends watches cleanly: all, or those of one resource. */
  end(resource?: string) {
    for (const watch of this.open) if (!resource || watch.resource === resource) watch.response.end()
  }

  reset() {
    for (const watch of this.open) watch.response.socket?.destroy()
  }

  start(response: ServerResponse, { resource, version, namespace, query }: Options) {
    const selector = selectorOf(query, resource)
    const matches = (object: SandboxObject) =>
      (namespace === undefined || object.metadata.namespace === namespace) && (!selector || selector(object))
    const from = versionOf(query.get('resourceVersion'))
    const objects = this.base.of(nameOf(resource))
    const initial = isTrue(query.get('sendInitialEvents'))
    const backlog = from && !initial ? objects.history.since(from) : []
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' })
    response.flushHeaders()
    if (this.faults.reset) {
      response.socket?.destroy()
      return
    }
    const line = this.lines(response)
    if (!backlog) {
      const { status } = expired(`too old resource version: ${from} (${objects.history.compacted})`)
      line(`{"type":"ERROR","object":${JSON.stringify(status)}}`)
      response.end()
      return
    }
    const show = (object: SandboxObject) => shownText(resource, version, object)
    const bookmark = (annotations?: Record<string, string>) => {
      const metadata = { resourceVersion: String(this.base.version), ...(annotations ? { annotations } : {}) }
      const object = { kind: resource.kind, apiVersion: apiVersionOf(resource, version), metadata }
      line(`{"type":"BOOKMARK","object":${JSON.stringify(object)}}`)
    }
    const tell = (change: Change) => {
      const was = change.old !== undefined && change.type !== 'ADDED' && matches(change.old)
      const is = change.type !== 'DELETED' && matches(change.object)
      const type = is
        ? was
          ? 'MODIFIED'
          : 'ADDED'
        : was || (change.type === 'DELETED' && matches(change.object))
          ? 'DELETED'
          : undefined
      if (type) line(`{"type":"${type}","object":${show(change.object)}}`)
    }
    if (!from || initial)
      for (const object of objects.list(namespace))
        if (matches(object)) line(`{"type":"ADDED","object":${show(object)}}`)
    if (initial) bookmark({ 'k8s.io/initial-events-end': 'true' })
    for (const change of backlog) tell(change)
    const start = this.base.version
    const name = nameOf(resource)
    const unsubscribe = this.base.listen((event) => {
      if (event.resource === name && event.version > start) tell(event)
    })
    const bookmarks = isTrue(query.get('allowWatchBookmarks'))
      ? setInterval(() => bookmark(), this.bookmarkMs)
      : undefined
    const seconds = Number(query.get('timeoutSeconds')) || 1800 + Math.random() * 1800
    const timeout = setTimeout(() => response.end(), seconds * 1000)
    // One shortly before the end, so that the next watch begins where this one was.
    const last = bookmarks && setTimeout(() => bookmark(), Math.max(0, seconds - 2) * 1000)
    const entry = { response, resource: name }
    this.open.add(entry)
    response.on('close', () => {
      unsubscribe()
      clearInterval(bookmarks)
      clearTimeout(timeout)
      clearTimeout(last)
      this.open.delete(entry)
    })
  }

  private lines(response: ServerResponse) {
    let silenced = false
    return (text: string) => {
      // Whoever missed a line must not be told later ones: it stays silent until its client gives it up.
      silenced ||= this.faults.silence
      if (silenced || response.writableEnded || response.destroyed) return
      if (this.faults.truncate) {
        response.end(text.slice(0, Math.max(1, text.length >> 1)))
        return
      }
      response.write(`${text}\n`)
      if (response.writableLength > MAX_BUFFERED) response.socket?.destroy()
    }
  }
}
