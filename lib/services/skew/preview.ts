import { skewPatch, type SkewRequest } from '@/lib/domain/skew/patch'
import { whatFollows, type Follows } from '@/lib/domain/skew/follows'
import type { Floor } from '@/lib/domain/skew/floors'
import type { StoredEvidence } from '@/lib/domain/skew/stored'
import { aboveOwnRelease, versionWarnings } from '@/lib/domain/skew/validate'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { stanzaShows } from '@/lib/domain/skew/patch'
import { MACHINE_CONFIGURATION, readSkewState } from '@/lib/providers/openshift/readers'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { PATH, type SkewCall } from './action-row'
import { failureOf } from './answer'
import { skewCluster } from './record'
import { PreviewInput } from './schemas'

export interface SkewPreview {
  clusterId: string
  clusterName: string
  /** What the change is bound to: hand it back when acting. */
  resourceVersion: string
  call: SkewCall
  /** What the API server says to the very same patch as a dry run. */
  dryRun: { ok: boolean; sentence: string; answer: string | null }
  follows: Follows
  warnings: string[]
  /** Why the version has to be confirmed before it is recorded; one of the warnings. */
  confirm: string | null
}

/** What an action would do: the exact patch, the API server's own answer to it, and what the cluster would make of it. */
export async function previewSkewAction(ctx: Ctx, input: unknown): Promise<SkewPreview> {
  requirePermission(ctx, 'skew:act')
  const wish = parseInput(PreviewInput, input)
  const card = await skewCluster(wish.clusterId)
  const client = await kubeClientFor(wish.clusterId)
  const live = await read(client)
  const state = readSkewState(live, card.skewSupported)
  const request: SkewRequest = {
    action: wish.action,
    ...(wish.action === 'acknowledge' && {
      versionKind: wish.versionKind ?? 'OCPVersion',
      version: wish.version ?? '',
    }),
    ...(wish.action === 'automatic' && wish.manageAll && { manageAll: { current: state.managers } }),
  }
  const resourceVersion = live.metadata.resourceVersion
  const body = skewPatch(request, resourceVersion)
  const evidence = card.evidence as unknown as StoredEvidence
  const floor: Floor | null =
    card.floorOcp && card.floorRhel ? { ocp: card.floorOcp, rhel: card.floorRhel, source: 'table' } : null
  const follows = whatFollows(request, { ...evidence, state, floor, release: card.version })
  return {
    clusterId: wish.clusterId,
    clusterName: card.cluster.name,
    resourceVersion,
    call: { method: 'PATCH', path: PATH, contentType: 'application/merge-patch+json', body },
    dryRun: await dryRun(client, request, body),
    follows,
    confirm:
      request.version && request.versionKind
        ? aboveOwnRelease(request.versionKind, request.version, {
            release: card.version,
            streamRelease: evidence.streamRelease,
          })
        : null,
    warnings: [
      ...(stanzaShows(live.spec?.bootImageSkewEnforcement, request) && !request.manageAll
        ? ['The cluster is already configured so: the patch would change nothing, only the record here would be new.']
        : []),
      ...(floor && request.version && request.versionKind
        ? versionWarnings(request.versionKind, request.version, {
            floor,
            release: card.version,
            streamRelease: evidence.streamRelease,
            now: Date.now(),
          })
        : []),
    ],
  }
}

async function read(client: KubeClient): Promise<KubeObject> {
  try {
    return await client.get(MACHINE_CONFIGURATION, 'cluster')
  } catch (error) {
    const failure = failureOf(error)
    const code = failure.code === null ? 'unavailable' : failure.code === 404 ? 'not-found' : 'refused'
    const sentence =
      failure.code === null ? 'The cluster does not answer, so nothing can be shown or changed.' : failure.sentence
    throw new ServiceError(code, sentence, { ...(failure.answer && { answer: failure.answer }) })
  }
}

async function dryRun(
  client: KubeClient,
  request: SkewRequest,
  body: SkewCall['body'],
): Promise<SkewPreview['dryRun']> {
  try {
    const stored = await client.patch(MACHINE_CONFIGURATION, 'cluster', undefined, 'merge', body, { dryRun: true })
    if (stanzaShows(stored.spec?.bootImageSkewEnforcement, request))
      return { ok: true, sentence: 'The API server would store this.', answer: null }
    return {
      ok: false,
      sentence:
        'The API server would answer with success and store nothing: this release does not know boot image skew.',
      answer: null,
    }
  } catch (error) {
    const failure = failureOf(error)
    return { ok: false, sentence: failure.sentence, answer: failure.answer }
  }
}
