import { bodyBytes, translate, type Transport } from './http'
import { readList } from './items'
import { KubeUnreachable, type KubeObject, type ListOptions, type ListPage, type PageOptions, type Page } from './types'

/** One page of a list. */
export async function list(transport: Transport, path: string, options: ListOptions): Promise<ListPage> {
  const { items, ...page } = await fetchPage(transport, path, options)
  return { ...page, items: [...items] }
}

/** All pages of a list: the next one is fetched while the one before is read. */
export async function* pages(
  transport: Transport,
  path: (from: ListOptions) => string,
  options: PageOptions,
): AsyncGenerator<Page> {
  const { resourceVersion, resourceVersionMatch, continue: token, ...rest } = options
  const abort = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, abort.signal]) : abort.signal
  const fetched = (from: ListOptions) => {
    const page = fetchPage(transport, path({ ...rest, ...from }), { ...options, signal })
    // Who reads the page before may take a while: a failure waits until it is asked for.
    page.catch(() => undefined)
    return page
  }
  try {
    let coming: Promise<Page> | undefined = fetched(
      token ? { continue: token } : { resourceVersion, resourceVersionMatch },
    )
    while (coming) {
      const page: Page = await coming
      coming = page.continue ? fetched({ continue: page.continue }) : undefined
      yield page
    }
  } finally {
    abort.abort()
  }
}

async function fetchPage(transport: Transport, path: string, options: PageOptions): Promise<Page> {
  const name = `GET ${path.split('?')[0]}`
  const answer = await transport.send({ method: 'GET', path }, { ...options, timeoutMs: options.timeoutMs ?? 60_000 })
  const bytes = await bodyBytes(answer, name, options.signal)
  try {
    const { envelope, items } = readList(bytes, options.dropManagedFields)
    const { metadata, apiVersion = '', kind = '' } = envelope
    if (!metadata?.resourceVersion) throw new KubeUnreachable('The answer is not a list.', name)
    const { resourceVersion, continue: next } = metadata
    const own = { apiVersion, kind: kind.replace(/List$/, '') }
    return { items: complete(items, own, name), resourceVersion, continue: next || undefined }
  } catch (error) {
    throw notJson(error, name)
  }
}

/** Items of built-in kinds come without these two; their lists name them. */
function* complete(items: Iterable<KubeObject>, own: { apiVersion: string; kind: string }, name: string) {
  try {
    for (const object of items) {
      object.apiVersion ??= own.apiVersion
      object.kind ??= own.kind
      yield object
    }
  } catch (error) {
    throw notJson(error, name)
  }
}

function notJson(error: unknown, name: string): unknown {
  if (!(error instanceof SyntaxError)) return translate(error, name)
  return new KubeUnreachable('The list is not complete JSON; is something between Drydock and the API server?', name)
}
