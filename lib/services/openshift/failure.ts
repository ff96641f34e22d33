import { statusWords, unreadWords } from '@/lib/domain/access/openshift'
import { deniedBy, deniedRead, type DeniedRead, type Denial } from '@/lib/kubernetes/denied'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { serverWords } from '../server-words'
import type { ActionKind, Target } from './kind'
import { onceMore, type OnceMore } from './once-more'
import { NOTHING_CHANGED } from './what-stands'

export interface Failure {
  /** A sentence for people, with what to do. */
  sentence: string
  /** The API server's own words. */
  answer: string | null
  /** HTTP status; null: no answer came. */
  code: number | null
}

/**
 * Why a call did not get through, in words; a refusal for want of a permission is looked into. Anything unexpected is thrown on.
 * `stands`: what is there of an action whose step this is.
 */
export async function failureOf(
  error: unknown,
  kind: Pick<ActionKind, 'words' | 'goesOn'>,
  target: Target,
  client?: KubeClient,
  stands = NOTHING_CHANGED,
): Promise<Failure> {
  if (error instanceof ServiceError) return { sentence: error.message, answer: null, code: null }
  if (error instanceof KubeUnreachable)
    return {
      sentence: `The cluster did not answer, so it is not known whether it took the change. ${onceMore(kind).do}: it is read again first.`,
      answer: null,
      code: null,
    }
  if (!(error instanceof KubeError)) throw error
  const answer = serverWords(error)
  const { code } = error
  const denial = deniedBy(error)
  if (denial?.name) return { sentence: refusedBy(denial, target, stands, onceMore(kind)), answer, code }
  const mayNot = { ...onceMore(kind), so: stands === NOTHING_CHANGED ? '' : ` ${stands}.` }
  if (code === 403) {
    const unread = deniedRead(error.message)
    if (unread && !isOf(unread, target)) return { sentence: mayNotReadWords(unread, mayNot), answer, code }
    const otherwise = unread ? mayNotReadWords(unread, mayNot) : null
    const sentence = client
      ? await whyForbidden(client, target, mayNot, otherwise)
      : (otherwise ?? mayNotWords(target, mayNot))
    return { sentence, answer, code }
  }
  return { sentence: sentenceOf(code, answer, kind, target, stands), answer, code }
}

function sentenceOf(
  code: number,
  answer: string,
  kind: Pick<ActionKind, 'words' | 'goesOn'>,
  target: Target,
  stands: string,
): string {
  const { words } = kind
  if (code === 409)
    return `Somebody else changed ${target.words} in the meantime. ${stands}: look again and decide again.`
  if (code === 404) return `${target.words} does not exist. ${words.missing}`
  if (code === 401)
    return `The cluster no longer accepts Drydock’s credentials. Replace them on the page Clusters, then ${onceMore(kind).then}.`
  if (answer.includes('unknown field'))
    return `${words.unknownField[0]!.toUpperCase()}${words.unknownField.slice(1)}. ${stands}.`
  if (code === 422) return `The API server refused the change. ${stands}.`
  return `The API server answered with ${code}; nothing is known to have changed. ${onceMore(kind).do}.`
}

const refusedBy = ({ by, guard }: Denial, { words }: Target, stands: string, { then }: OnceMore): string =>
  guard
    ? `The guard of the latch refused the change of ${words}: it lets nobody release but the identity for which the latch was installed, and Drydock has another one there now. ${stands}. Repair the latch on the page of the cluster, then ${then}.`
    : `Not for want of a permission: ${by} refused the change of ${words}. ${stands}.`

/** `so`: how the whole action stands, where anything of it does. */
type MayNot = OnceMore & { so: string }

const mayNotWords = ({ words }: Target, { so, then }: MayNot): string =>
  `Drydock may not change ${words}.${so} Apply the RBAC that the page Clusters shows, then ${then}.`

/** Other objects are read for a change as well: what it answers to, as a gate. */
const mayNotReadWords = ({ verb, group, resource, name, namespace }: DeniedRead, { so, then }: MayNot): string => {
  const where = namespace ? ` in the namespace ${namespace}` : ''
  const which = `${group ? `${resource}.${group}` : resource}${name ? ` ${name}` : ''}${where}`
  return `Drydock may not read ${which}, and changes nothing of which it cannot read that first.${so} Grant ${verb} on it, as in the RBAC that the page Clusters shows, then ${then}.`
}

const isOf = (unread: DeniedRead, { resource, name, namespace }: Target): boolean =>
  unread.group === resource.group &&
  unread.resource === resource.plural &&
  unread.name === name &&
  unread.namespace === (namespace ?? null)

const SSAR = { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews' }

/** What of a permission is missing: the API server's own words do not say which half one has. `unread`: it was a read that was refused. */
async function whyForbidden(
  client: KubeClient,
  target: Target,
  mayNot: MayNot,
  unread: string | null,
): Promise<string> {
  const { so, then } = mayNot
  const { resource, name, namespace } = target
  const names = { group: resource.group, resource: resource.plural }
  const allowed = async (verb: string, subresource?: string): Promise<boolean> => {
    const resourceAttributes = {
      ...{ ...names, verb, name },
      ...(namespace ? { namespace } : {}),
      ...(subresource ? { subresource } : {}),
    }
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    }
    return ((await client.review(SSAR, body)).status as { allowed?: boolean } | undefined)?.allowed === true
  }
  try {
    const [change, status, read] = await Promise.all([allowed('patch'), allowed('patch', 'status'), allowed('get')])
    if (change && !read) return `${unreadWords(names)}${so}`
    if (unread !== null) return unread
    if (change) return `A rule of the cluster refuses this change of ${target.words}; Drydock has the permission.${so}`
    return status ? `${statusWords(names)} Then ${then}.${so}` : mayNotWords(target, mayNot)
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable) return unread ?? mayNotWords(target, mayNot)
    throw error
  }
}
