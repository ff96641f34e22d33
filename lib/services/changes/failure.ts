import { deniedBy, isUnpermitted } from '@/lib/kubernetes/denied'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { serverWords } from '../server-words'
import { isMomentary } from './momentary'
import { NO_ANSWER } from './no-answer'

export interface Failure {
  sentence: string
  /** The API server's own words. */
  answer: string | null
  code: number | null
  /** What was not to be had at this moment only, in a sentence; absent: that is not why. */
  momentary?: string
}

/** Why a decision did not get through, in words. Anything unexpected is thrown on. */
export function failureOf(error: unknown, target: string): Failure {
  if (error instanceof ServiceError) return { sentence: error.message, answer: error.more.answer ?? null, code: null }
  if (error instanceof KubeUnreachable)
    return {
      sentence: `${NO_ANSWER}, so it is not known whether it took the decision. Retry: ${target} is read again first.`,
      answer: error.message,
      code: null,
      momentary: `${NO_ANSWER}.`,
    }
  if (!(error instanceof KubeError)) throw error
  const momentary = isMomentary(error) ? { momentary: `The API server answered with ${error.code}.` } : {}
  return { sentence: sentenceOf(error, target), answer: serverWords(error), code: error.code, ...momentary }
}

function sentenceOf(error: KubeError, target: string): string {
  const { code } = error
  const denial = deniedBy(error)
  if (denial?.guard)
    return `The guard of the latch refused the change of ${target}, and nothing was released: it lets nobody release but the identity for which the latch was installed, and Drydock has another one there now. Repair the latch on the page of the cluster, then retry.`
  if (denial)
    return `Not for want of a permission: ${denial.by} refused the change of ${target}, and nothing was released. Once that lets it through, retry.`
  if (code === 409) return `${target} is being changed by somebody else all the time. Nothing was released; retry.`
  if (isUnpermitted(error))
    return `Drydock may not change ${target}. Apply the RBAC that the page Clusters shows, then retry.`
  if (code === 403)
    return `The change of ${target} was refused, and the answer does not tell why or by what; nothing was released. Retry once that is found.`
  if (code === 404) return `${target} no longer exists.`
  if (code === 401)
    return 'The cluster no longer accepts Drydock’s credentials. Replace them on the page Clusters, then retry.'
  if (code === 422) return `The API server refused the change of ${target}; nothing was released.`
  return `The API server answered with ${code}; nothing is known to have changed. Retry.`
}
