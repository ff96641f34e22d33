import { MASK, safeText } from '@/lib/domain/changes/secrets'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { serverWords } from '../server-words'

const QUOTED =
  /("?(?:[A-Za-z]*(?:token|password|passwd|secret|privateKey|apiKey)|content|userData|certificateKey)"?\s*:\s*)"(?:[^"\\]|\\.)*"/gi

/** "spec…users[0].passwd: Invalid value: "…": must be …" */
const INVALID =
  /((?:token|password|passwd|secret|privateKey|apiKey|content|userData|certificateKey|contents|data)[\w"'\]]*\s*:\s*Invalid value:\s*)(?:"(?:[^"\\]|\\.)*"|[^\s:]+)/gi

/** The API server quotes what it refuses; what is a credential in it stays here. */
const answerOf = (error: KubeError): string =>
  serverWords(error)
    .split('\n')
    .map((line) => safeText(line.replace(QUOTED, `$1"${MASK}"`).replace(INVALID, `$1"${MASK}"`), 2_000))
    .join('\n')

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
