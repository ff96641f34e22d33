import { translate, type Transport } from './http'
import { ItemReader } from './items'
import { KubeUnreachable, type KubeObject, type ListOptions, type ListPage } from './types'

/** One page of a list, read item by item. */
export async function list(transport: Transport, path: string, options: ListOptions): Promise<ListPage> {
  const name = `GET ${path.split('?')[0]}`
  const items: KubeObject[] = []
  const each = options.each ?? ((object: KubeObject) => void items.push(object))
  let wait: Promise<void> | undefined
  const reader = new ItemReader((json) => {
    const object = JSON.parse(json) as KubeObject
    // Items of built-in kinds come without these two; their lists name them before the items.
    object.apiVersion ??= /"apiVersion":\s*"([^"]*)"/.exec(reader.head)?.[1] ?? ''
    object.kind ??= /"kind":\s*"([^"]*)List"/.exec(reader.head)?.[1] ?? ''
    const taken = each(object)
    if (taken) wait = wait ? Promise.all([wait, taken]).then(() => undefined) : taken
  }, options.dropManagedFields)
  const answer = await transport.send({ method: 'GET', path }, { ...options, timeoutMs: options.timeoutMs ?? 60_000 })
  try {
    for await (const chunk of answer.body) {
      reader.push(chunk as Buffer)
      if (wait) await wait
      wait = undefined
    }
    const { metadata } = reader.end()
    if (!metadata?.resourceVersion) throw new KubeUnreachable('The answer is not a list.', name)
    return { items, resourceVersion: metadata.resourceVersion, continue: metadata.continue || undefined }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw translate(error, name, options.signal)
    throw new KubeUnreachable('The list is not complete JSON; is something between Drydock and the API server?', name)
  }
}
