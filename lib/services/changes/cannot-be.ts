import type { Change } from '@/lib/db/generated/client'
import type { GroupKind } from '@/lib/domain/capabilities'
import { POOL } from '@/lib/domain/latch/hold'
import { ServiceError } from '../errors'
import { asksNobody, gateAnswers } from '../gate/answers'
import { answeredOtherwise } from './answered'
import { changeSetOf, type DecisionMode } from './change-row'
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
export async function rememberedOtherwise(mode: 'in-place' | 'replace', change: Decided): Promise<string | null> {
  const { clusterId, groupId, groupKind } = change
  if (groupKind === POOL) return null
  const other = await answeredOtherwise({ groupId, groupKind, pairs: changeSetOf(change).pairs }, mode)
  return other && mode === 'replace' && (await asksNobody(clusterId)) ? null : other
}

/** Known before anything is recorded; it is asked again right before anything is released. */
export async function requireNotRemembered(mode: DecisionMode, change: Decided): Promise<void> {
  const other = mode === 'reject' ? null : await rememberedOtherwise(mode, change)
  if (other) throw new ServiceError('conflict', other)
}
