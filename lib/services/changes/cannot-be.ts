import type { Change } from '@/lib/db/generated/client'
import type { GroupKind } from '@/lib/domain/capabilities'
import { POOL } from '@/lib/domain/latch/hold'
import { ServiceError } from '../errors'
import { asksNobody, gateAnswers } from '../gate/answers'
import { answeredOtherwise } from './answered'
import { changeSetOf } from './change-row'
import type { Wish } from './decidable'
import { illMember, type ControlPlane } from './ill-member'

type Decided = Pick<Change, 'groupKind'> & ControlPlane

/** Why the managers would do something else than what is approved. Asked of the cluster, right before. */
export async function cannotBe(mode: 'in-place' | 'replace', change: Decided): Promise<string | null> {
  // The operator asks nobody how: it has one way.
  if (change.groupKind === POOL) return null
  // Without a gate that Cluster API asks, what is let go is replaced.
  const gate = mode === 'in-place' ? await gateAnswers(change.clusterId, change.groupKind as GroupKind) : null
  if (gate && !gate.ok) return gate.why
  const ill = mode === 'in-place' && change.groupKind === 'KubeadmControlPlane' ? await illMember(change) : null
  return ill ?? rememberedOtherwise(mode, change)
}

/** Why a remembered answer would do something else. Managers that ask nobody go by no answer: they replace. */
const rememberedOtherwise = async (mode: 'in-place' | 'replace', change: Decided): Promise<string | null> =>
  (await remembered(mode, change))?.why ?? null

/** `sure`: false where the cluster could not be asked whether its managers go by it. */
async function remembered(
  mode: 'in-place' | 'replace',
  { clusterId, groupId, groupKind, ...change }: Decided,
): Promise<{ why: string; sure: boolean } | null> {
  if (groupKind === POOL) return null
  const why = await answeredOtherwise({ groupId, groupKind, pairs: changeSetOf(change).pairs }, mode)
  if (!why) return null
  const nobody = mode === 'replace' ? await asksNobody(clusterId) : false
  return nobody ? null : { why, sure: nobody !== null }
}

/** Known before anything is recorded; it is asked again right before anything is released. Where nobody is there to look, what could not be asked now is asked anew. */
export async function requireNotRemembered({ mode, by }: Pick<Wish, 'mode' | 'by'>, change: Decided): Promise<void> {
  const other = mode === 'reject' ? null : await remembered(mode, change)
  if (other) throw new ServiceError(by && !other.sure ? 'unavailable' : 'conflict', other.why)
}
