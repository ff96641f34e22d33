import type { Query, QueryClient } from '@tanstack/react-query'

export interface LiveState {
  connected: boolean
  /** When it was lost (ms). */
  since: number
  /** When it was last heard (ms): that it is lost may be seen long after that. */
  heardAt: number
}

/** Answers within a second of each other are fetched once: a burst of changes costs one request a second. */
const PAUSE_MS = 1000
/** How long after a refusal it is tried again. */
const AGAIN_MS = 4000

/** Follows the stream and marks as stale every query whose key, or `meta.topics`, names what changed. */
export function follow(client: QueryClient, say: (state: LiveState) => void): () => void {
  let source: EventSource | undefined
  let over = false
  let lost = 0
  let heardAt = Date.now()
  let again: ReturnType<typeof setTimeout> | undefined
  let flushing: ReturnType<typeof setTimeout> | undefined
  let flushedAt = 0
  const topics = new Set<string>()
  /** Changed while they were being fetched: what comes may have been read before that. */
  const late = new Set<Query>()

  const flush = () => {
    flushing = undefined
    flushedAt = Date.now()
    const [heard, again] = [new Set(topics), new Set(late)]
    topics.clear()
    late.clear()
    const isStale = (query: Query) => again.has(query) || isAbout(query, heard)
    const fetching = client.getQueryCache().findAll({ fetchStatus: 'fetching', predicate: isStale })
    void client.invalidateQueries({ predicate: isStale }, GO_ON)
    for (const query of fetching)
      void client.refetchQueries({ predicate: (one) => one === query }, GO_ON).then(() => {
        late.add(query)
        soon()
      })
  }
  // The first change of a while shows at once; those after it wait together.
  const soon = () => {
    if (!over) flushing ??= setTimeout(flush, Math.max(30, flushedAt + PAUSE_MS - Date.now()))
  }
  const hear = (topic: string) => {
    topics.add(topic)
    soon()
  }
  const isLost = () => {
    lost ||= Date.now()
    say({ connected: false, since: lost, heardAt })
  }
  const connect = () => {
    source = new EventSource('/api/stream')
    source.onmessage = (event) => {
      // The first word: it hears from now on, and everything is fetched; what happened since the server rendered the page,
      // or while it was lost, was not told. A stream that is open alone says nothing: the server may not hear itself.
      heardAt = Date.now()
      if (lost) say({ connected: true, since: (lost = 0), heardAt })
      for (const message of messagesIn(event.data)) hear('resync' in message ? '*' : message.topic)
    }
    // Nothing has changed, and that is heard as well.
    source.addEventListener('beat', () => {
      if (!lost) heardAt = Date.now()
    })
    source.onerror = () => {
      isLost()
      if (source?.readyState !== EventSource.CLOSED || over) return
      // The server refused (signed out, not up yet): the browser gives up then, we do not.
      again = setTimeout(connect, AGAIN_MS)
    }
  }
  isLost()
  connect()
  const wake = () => {
    if (document.visibilityState === 'visible' && source?.readyState === EventSource.CLOSED) {
      clearTimeout(again)
      connect()
    }
  }
  document.addEventListener('visibilitychange', wake)
  return () => {
    over = true
    source?.close()
    clearTimeout(again)
    clearTimeout(flushing)
    document.removeEventListener('visibilitychange', wake)
  }
}

/** Begun anew with every change, what takes longer than the pause between two would never be there. */
const GO_ON = { cancelRefetch: false }

const isAbout = ({ queryKey, meta }: Query, heard: ReadonlySet<string>): boolean =>
  heard.has('*') ||
  heard.has(String(queryKey[0])) ||
  (meta?.topics as string[] | undefined)?.some((topic) => heard.has(topic)) === true

/** What the stream says: a topic of lib/db/notify whose rows changed, or that something was missed. */
type Message = { topic: string } | { resync: true }

function messagesIn(data: string): Message[] {
  const parsed: unknown = JSON.parse(data)
  return (Array.isArray(parsed) ? parsed : [parsed]) as Message[]
}
