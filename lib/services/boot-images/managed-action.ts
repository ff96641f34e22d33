import type * as z from 'zod'
import type { JsonObject } from '@/lib/domain/json'
import { kubeClientFor } from '../clusters/connection'
import { managedKind, type StoredManagedWish } from '../openshift/kinds/managed'
import { CLUSTER_CONFIGURATION } from '../openshift/kinds/skew'
import { overwrittenIn } from '../openshift/overwrites'
import { readTarget } from '../openshift/read-target'
import type { NewAction } from '../openshift/record-action'
import { saidAt } from '../skew/record'
import { confirmedBy, managedToConfirm, requireConfirmed } from '../skew/to-confirm'
import { imagesBefore, managedCluster, setsNow, stateOf } from './managed-now'
import { planManaged, wishOf } from './plan-managed'
import type { SetManagedInput } from './schemas'

/** What is to be recorded of a wish about managed boot images, or a sentence that says why nothing can be. */
export async function managedAction(wanted: z.infer<typeof SetManagedInput>): Promise<NewAction> {
  const { clusterId, reason, reviewAt, resourceVersion, generation, uid, confirmed, ...asked } = wanted
  const wish = wishOf(asked)
  const card = await managedCluster(clusterId)
  const target = managedKind.target(CLUSTER_CONFIGURATION)
  const [live, sets] = await Promise.all([
    kubeClientFor(clusterId).then((client) => readTarget(client, managedKind, target)),
    setsNow(clusterId),
  ])
  // Made of what there is now: where that is not what was looked at, the first write is refused as a conflict.
  const steps = planManaged(wish, stateOf(live, card), card)
  const reasons = managedToConfirm(card, wish)
  requireConfirmed(reasons, confirmed, wish.skew?.action === 'acknowledge' ? 'skew.version' : null)
  const stored: StoredManagedWish = {
    ...{ ...wish, confirmed },
    before: imagesBefore(sets),
  }
  const { skew } = wish
  const spec = live.spec as { bootImageSkewEnforcement?: JsonObject } | undefined
  const said = skew && spec?.bootImageSkewEnforcement
  const overwrote =
    overwrittenIn(live, managedKind.stands, ['spec', 'managedBootImages', 'machineManagers']) ??
    (said && overwrittenIn(live, managedKind.stands, saidAt(said)))
  return {
    ...{ clusterId, kind: managedKind.kind, target: CLUSTER_CONFIGURATION, action: 'manage' },
    wish: stored as unknown as JsonObject,
    versionKind: skew?.versionKind,
    version: skew?.version,
    steps,
    looked: { resourceVersion, generation, uid },
    ...{ reason, reviewAt },
    audit: {
      action: 'managed.set',
      details: {
        sets: wish.sets.mode,
        ...(wish.sets.mode === 'Partial' && { selector: wish.sets.selector }),
        ...(wish.controlPlanes && { controlPlanes: wish.controlPlanes }),
        ...(skew && { skew: skew.action }),
        ...(skew?.version && { version: skew.version, versionKind: skew.versionKind }),
        ...confirmedBy(reasons),
        ...(overwrote && { overwrote }),
        ...(reviewAt && { reviewAt: reviewAt.toISOString() }),
      },
    },
  }
}
