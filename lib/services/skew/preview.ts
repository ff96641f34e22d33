import { skewPatch, type SkewRequest } from '@/lib/domain/skew/patch'
import { whatFollows, type Follows } from '@/lib/domain/skew/follows'
import { storedFloor, type StoredEvidence } from '@/lib/domain/skew/stored'
import { versionWarnings } from '@/lib/domain/skew/validate'
import { stanzaShows } from '@/lib/domain/skew/patch'
import { readSkewState } from '@/lib/providers/openshift/readers'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { CLUSTER_CONFIGURATION, skewKind } from '../openshift/kinds/skew'
import { mayBeOld } from '../openshift/may-be-old'
import { readTarget } from '../openshift/read-target'
import { rehearse, type Rehearsal } from '../openshift/rehearse'
import { requireManaging, skewCluster } from './record'
import { sentenceOf, toConfirm } from './to-confirm'
import { PreviewInput } from './schemas'

export interface SkewPreview extends Pick<Rehearsal, 'call' | 'dryRun'> {
  clusterId: string
  clusterName: string
  /** What the change is bound to: hand them back when acting. */
  uid: string
  resourceVersion: string
  generation: number | null
  follows: Follows
  warnings: string[]
  /** All that whoever confirms says is meant: of a version what warnings say as well, of a return what it closes. */
  confirm: string | null
}

/** What an action would do: the exact patch, the API server's own answer to it, and what the cluster would make of it. */
export async function previewSkewAction(ctx: Ctx, input: unknown): Promise<SkewPreview> {
  requirePermission(ctx, 'skew:act')
  const wish = parseInput(PreviewInput, input)
  const card = await skewCluster(wish.clusterId)
  if (wish.action === 'automatic' && wish.manageAll) requireManaging(card)
  const client = await kubeClientFor(wish.clusterId)
  const target = skewKind.target(CLUSTER_CONFIGURATION)
  const live = await readTarget(client, skewKind, target)
  const state = readSkewState(live, card.skewSupported)
  const request: SkewRequest = {
    action: wish.action,
    ...(wish.action === 'acknowledge' && {
      versionKind: wish.versionKind ?? 'OCPVersion',
      version: wish.version ?? '',
    }),
    ...(wish.action === 'automatic' && wish.manageAll && { manageAll: { current: state.managers } }),
  }
  const { call, dryRun, owners } = await rehearse(client, skewKind, target, live, skewPatch(request))
  const evidence = card.evidence as unknown as StoredEvidence
  const floor = storedFloor(card)
  const follows = whatFollows(request, { ...evidence, state, floor, release: card.version })
  const reasons = toConfirm(card, request, wish.manageAll)
  return {
    clusterId: wish.clusterId,
    clusterName: card.cluster.name,
    uid: live.metadata.uid,
    resourceVersion: live.metadata.resourceVersion,
    generation: live.metadata.generation ?? null,
    ...{ call, dryRun, follows },
    confirm: sentenceOf(reasons),
    warnings: [
      ...owners,
      ...(stanzaShows(live.spec?.bootImageSkewEnforcement, request) && !request.manageAll
        ? ['The cluster is already configured so: the patch would change nothing, only the record here would be new.']
        : []),
      ...(floor && request.version && request.versionKind
        ? versionWarnings(request.versionKind, request.version, {
            floor,
            release: card.version,
            streamRelease: evidence.streamRelease,
            now: Date.now(),
            open: card.blocks === null,
          })
        : []),
      ...(reasons.against ? [reasons.against] : []),
      ...mayBeOld(card),
    ],
  }
}
