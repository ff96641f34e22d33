import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'

const NOT_CHECKED = 'some validation rules were not checked because the object was invalid'
const STRICT = 'strict decoding error: '

/** The API server's own words, without the line that only says it stopped checking, and without the object that strict mode quotes. */
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
  return at < 0 ? message : message.slice(at)
}

export interface Failure {
  /** A sentence for people, with what to do. */
  sentence: string
  answer: string | null
  code: number | null
}

/** Why a patch did not get through. Anything unexpected is thrown on. */
export function failureOf(error: unknown): Failure {
  if (error instanceof KubeUnreachable)
    return {
      sentence:
        'The cluster did not answer, so it is not known whether it took the change. Retry: it is read again first.',
      answer: null,
      code: null,
    }
  if (!(error instanceof KubeError)) throw error
  const answer = serverWords(error)
  return { sentence: sentenceOf(error.code, answer), answer, code: error.code }
}

function sentenceOf(code: number, answer: string): string {
  if (code === 409)
    return 'Somebody else changed MachineConfiguration/cluster in the meantime. Nothing was changed: look again and decide again.'
  if (code === 403)
    return 'Drydock may not change MachineConfiguration/cluster. Apply the RBAC that the page Clusters shows, then retry.'
  if (code === 404)
    return 'MachineConfiguration/cluster does not exist. The Machine Config Operator makes it; wait until it runs.'
  if (code === 401)
    return 'The cluster no longer accepts Drydock’s credentials. Replace them on the page Clusters, then retry.'
  if (answer.includes('unknown field'))
    return 'This release of OpenShift does not know boot image skew; nothing was changed.'
  if (code === 422) return 'The API server refused the change; nothing was changed.'
  return `The API server answered with ${code}; nothing is known to have changed. Retry.`
}
