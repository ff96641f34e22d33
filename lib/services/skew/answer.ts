import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { serverWords } from '../server-words'

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
