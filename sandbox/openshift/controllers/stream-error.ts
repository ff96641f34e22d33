/** What the operator says of a stream that it cannot read. */
export const streamError = (stream = ''): string => `failed to parse CoreOS stream metadata: ${jsonError(stream)}`

/** How a stream is called in it. */
export function streamName(stream = ''): string {
  try {
    return (JSON.parse(stream) as { stream?: string }).stream ?? ''
  } catch {
    return ''
  }
}

/** The words of Go's encoding/json, of what is no JSON or no stream. */
export function jsonError(stream: string): string {
  try {
    const found: unknown = JSON.parse(stream)
    const kind = Array.isArray(found) ? 'array' : typeof found === 'boolean' ? 'bool' : typeof found
    return `json: cannot unmarshal ${kind} into Go value of type stream.Stream`
  } catch (error) {
    const { message } = error as Error
    const place = / at position (\d+)/.exec(message)
    const wrong = /^Unexpected token '(.)'/.exec(message)?.[1] ?? (place ? stream[Number(place[1])] : undefined)
    if (wrong === undefined) return 'unexpected end of JSON input'
    const where = WHERE.find(([said]) => message.includes(said))?.[1] ?? 'looking for beginning of value'
    return `invalid character '${wrong}' ${where}`
  }
}

/** Of what JSON.parse says of the place, what Go does. */
const WHERE = [
  ['after property value', 'after object key:value pair'],
  ['after property name', 'after object key'],
  ['after array element', 'after array element'],
  ['after JSON', 'after top-level value'],
  ['property name', 'looking for beginning of object key string'],
] as const
