import { withoutManagedFields } from './items'
import { lines } from './lines'
import { translate, type Transport } from './http'
import { query } from './paths'
import { KubeUnreachable, type KubeObject, type WatchEvent, type WatchOptions } from './types'

/** Bookmarks come about once a minute; one and a half without a byte is a dead connection. */
const INACTIVITY_MS = 90_000

/** Open, but nothing comes: half-open connections look like this, and servers that went mute. */
export class WatchSilent extends KubeUnreachable {}

/** Events of one watch connection, until the server ends it (normal), the caller aborts, or it fails (thrown). */
export async function* watchEvents(
  transport: Transport,
  path: string,
  options: WatchOptions,
  inactivityMs = INACTIVITY_MS,
): AsyncGenerator<WatchEvent> {
  const { resourceVersion, labelSelector, fieldSelector, dropManagedFields, signal } = options
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), inactivityMs)
  const both = AbortSignal.any([signal, silence.signal])
  const timeoutSeconds = 300 + Math.floor(Math.random() * 300)
  const parameters = {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion,
    labelSelector,
    fieldSelector,
    timeoutSeconds,
  }
  const name = `WATCH ${path}`
  try {
    const answer = await transport.send(
      { method: 'GET', path: path + query(parameters), endless: true },
      { signal: both },
    )
    timer.refresh()
    for await (const line of lines(heard(answer.body, timer))) {
      yield (dropManagedFields && withoutManagedFields<WatchEvent>(line, metadataOf)) || parseEvent(line, name)
    }
  } catch (error) {
    if (signal.aborted) return
    if (silence.signal.aborted)
      throw new WatchSilent(`The watch was silent for ${Math.round(inactivityMs / 1000)} s.`, name)
    throw translate(error, name)
  } finally {
    clearTimeout(timer)
  }
}

async function* heard(body: AsyncIterable<Buffer>, timer: NodeJS.Timeout): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    timer.refresh()
    yield chunk
  }
}

const metadataOf = ({ object }: WatchEvent) => (object as Partial<KubeObject>).metadata

function parseEvent(line: Buffer, name: string): WatchEvent {
  try {
    return JSON.parse(line.toString('utf8')) as WatchEvent
  } catch {
    // Going on would lose an event for good: the reader must start again from the last version it saw.
    throw new KubeUnreachable('The watch sent a line that is not JSON.', name)
  }
}
