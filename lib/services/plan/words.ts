import { maskedAnswer } from '@/lib/domain/changes'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { serverWords } from '../server-words'

const answerOf = (error: KubeError): string => maskedAnswer(serverWords(error))

export interface Refusal {
  /** `unknown`: it is Drydock that may not ask. */
  outcome: 'invalid' | 'unknown'
  sentence: string
  answer: string
}

/**
 * What the API server says against an object. Where it does not answer at all, or not for want of the object, there is no
 * plan: thrown.
 */
export function refusalOf(error: unknown, what: string): Refusal {
  if (error instanceof KubeUnreachable)
    throw new ServiceError('unavailable', 'The management cluster does not answer, so nothing can be planned now.', {
      hint: 'Try again when it does.',
      answer: error.message,
    })
  if (!(error instanceof KubeError)) throw error
  const answer = answerOf(error)
  if (error.code === 401)
    throw new ServiceError('refused', 'The cluster no longer accepts Drydock’s credentials.', {
      hint: 'Replace them on the page Clusters.',
      answer,
    })
  if (error.code === 403 && /cannot (get|create|patch) resource/.test(error.message))
    return {
      outcome: 'unknown',
      sentence: `Drydock may not try ${what} there. Give it the rules of part “plan” in deploy/rbac-plan.yaml.`,
      answer,
    }
  const refused =
    error.code < 500 && error.code !== 429 ? true : /failed to create typed patch object/.test(error.message)
  if (!refused)
    throw new ServiceError('unavailable', `The API server could not try ${what}, so there is no plan.`, {
      hint: 'Try again; if it stays, its own words say what fails there.',
      answer,
    })
  return { outcome: 'invalid', sentence: `The API server refuses ${what}.`, answer }
}
