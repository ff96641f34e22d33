import type { KubeError } from '@/lib/kubernetes/types'

const NOT_CHECKED = 'some validation rules were not checked because the object was invalid'
const STRICT = 'strict decoding error: '
// Of a value of the wrong type a mutating policy, ours or another, is the first to be told, and the refusal bears its name.
const TYPED = /^.*\bdenied request: .*\bfailed to convert \w+ object to typed object: \.?/s

/**
 * The API server's own words (KubeError keeps credentials out of them), without the line that only says it stopped
 * checking, without the object that strict mode quotes, and without the policy that met a wrong type first.
 */
export function serverWords(error: KubeError): string {
  const causes = (error.status.details?.causes ?? [])
    .filter((cause) => !cause.message?.includes(NOT_CHECKED))
    .map((cause) => ({
      field: cause.field === '<nil>' ? '' : (cause.field ?? ''),
      message: withoutObject(cause.message ?? ''),
    }))
  if (causes.length === 0) return withoutObject(error.message)
  return causes.map(({ field, message }) => (field && field !== 'patch' ? `${field}: ${message}` : message)).join('\n')
}

const withoutObject = (message: string): string => {
  const at = message.indexOf(STRICT)
  return at < 0 ? message.replace(TYPED, '') : message.slice(at)
}
