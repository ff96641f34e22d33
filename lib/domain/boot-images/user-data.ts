import type { JsonObject } from '../json'
import type { ImageContext } from './types'

export interface UserDataProblem {
  outcome: 'error' | 'crash'
  reason: string
}

/**
 * Only needed when an image is about to be changed: the Ignition stub in the set's user-data secret must be one the new image
 * reads (upgradeStubIgnitionIfRequired). Without `data` secrets are taken for good.
 */
export function userDataProblem(spec: JsonObject, data: ImageContext['data']): UserDataProblem | undefined {
  if (spec.userDataSecret === undefined || spec.userDataSecret === null)
    return {
      outcome: 'crash',
      reason: 'The set names no userDataSecret, and the operator’s controller stops working on such a set.',
    }
  if (!data) return undefined
  const name = (spec.userDataSecret as { name?: string }).name ?? ''
  const secret = data(name)
  if (!secret) return { outcome: 'error', reason: `Its user-data secret ${name || '(without a name)'} does not exist.` }
  let parsed: unknown
  try {
    parsed = JSON.parse(secret.userData ?? '')
  } catch {
    return { outcome: 'error', reason: `The user data in ${name} is missing or not JSON.` }
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
    return {
      outcome: 'crash',
      reason: `The user data in ${name} is not a JSON object, and the operator’s controller stops working on it.`,
    }
  return stubOf(parsed as JsonObject) === 'bad'
    ? { outcome: 'error', reason: `The user data in ${name} has an Ignition version that cannot be converted.` }
    : undefined
}

/** Ignition 3 stays as it is, 2.0.0 to 2.2.0 are rewritten, and nothing else can be read: so Parse of config/v2_2 in Ignition 0.35, which the operator is built with. */
export function stubOf(userData: JsonObject): 'kept' | 'rewritten' | 'bad' {
  const version = (userData.ignition as { version?: unknown } | null | undefined)?.version
  if (typeof version !== 'string') return 'bad'
  return version.startsWith('3') ? 'kept' : /^2\.[0-2]\.0$/.test(version) ? 'rewritten' : 'bad'
}

/** The one secret that an operator of 4.18 or before has managed sets start with. */
export const MANAGED_SECRET = 'worker-user-data-managed'

/** What such an operator does to a set's secret; it never looks into it. */
export function managedSecret(
  spec: JsonObject,
): 'kept' | 'crash' | { words: string; perhaps: string; patch: JsonObject } {
  const { userDataSecret } = spec
  if (userDataSecret === undefined || userDataSecret === null) return 'crash'
  const { name = '' } = userDataSecret as { name?: string }
  if (name === MANAGED_SECRET) return 'kept'
  return {
    words: `its user data secret ${name || '(nameless)'} is replaced by ${MANAGED_SECRET}.`,
    perhaps: `An operator of 4.18 replaces its user data secret ${name || '(nameless)'} by ${MANAGED_SECRET}, one after keeps it, and while the cluster is updated it may be either.`,
    patch: { userDataSecret: { name: MANAGED_SECRET } },
  }
}

/** Of a set's reason, what is said of its secret. */
export const secretWords = (reason: string): string =>
  /(?:With its image|Where it is managed), its user data secret \S+ is replaced by \S+\./.exec(reason)?.[0] ?? ''

/** The same where it is not known whether that becomes of it. */
export const perhapsSecretWords = (reason: string): string =>
  /An operator of \S+ replaces its user data secret \S+ by .*? it may be either\./.exec(reason)?.[0] ?? ''
