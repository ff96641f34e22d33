import { fingerprintOfAll } from '@/lib/domain/changes'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { isHeld } from '@/lib/domain/latch/hold'
import type { KubeObject } from '@/lib/kubernetes/types'
import { controlPlaneChange } from './control-plane'
import { deploymentChange } from './deployment'
import type { GroupChange, ObjectSource } from './types'
import { unexplained } from './unexplained'

export { illAmong } from './ill'
export { overlaySource } from './overlay'
export { afterWords, hasCome, infrastructureRefOf, objectAt, refOf, rolloutAfter, strategyOf, type Ref } from './read'
export { clientSource, findResource, type ClientSource } from './source'
export type { Compared, GroupChange, ObjectSource } from './types'
export { wholeWanted } from './whole'

/**
 * What a MachineDeployment or control plane would change, computed as Cluster API compares. `ahead`: also what a date of
 * `rollout.after` that lies ahead will do. Where it was let go, that makes no machine outdated until it comes.
 * `waits`: its manager has not begun with it. `rules`: also what a rule will do that replaces machines later, and was not let go.
 */
export async function changeOf(
  group: KubeObject,
  source: ObjectSource,
  ahead = isHeld(group),
  waits = isHeld(group),
  rules = isHeld(group),
): Promise<GroupChange> {
  const compared =
    group.kind === 'KubeadmControlPlane'
      ? controlPlaneChange(group, source, ahead, waits)
      : deploymentChange(group, source, ahead)
  const digest = rolloutDigest(group) ?? ''
  const comparison = await unexplained(group, await compared, digest, source, rules)
  const prints = comparison.pairs.map(({ pair }) => pair.fingerprint)
  return { ...comparison, digest, fingerprint: prints.length === 0 ? '' : fingerprintOfAll([...prints, digest]) }
}
