import type { Json } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { rolloutShapeOf } from '@/lib/providers/cluster-api'
import { planOf, type Plan } from '../forecast/plan'
import type { PlanContext } from './context'
import type { PlanGroup } from './types'

/** The rollout played forward, each way that there would be and that its policy allows. */
export interface PlanCourse {
  inPlace: Plan | null
  replace: Plan | null
}

/** As it would go from the machines that are there. Null: there is nothing to play, or the plan is about too many machines. */
export async function courseOf(
  context: PlanContext,
  group: KubeObject,
  planned: Omit<PlanGroup, 'course'>,
): Promise<PlanCourse | null> {
  const { groupId, changeSet, outlook, undetermined, toVersion, groupKind, groupName, namespace } = planned
  if (!groupId || changeSet.pairs.length === 0 || undetermined.length > 0) return null
  if (outlook.blocked) return null
  if (planned.machinesList.length === 0 || planned.machines > context.toPlay.machines) return null
  context.toPlay.machines -= planned.machines
  const change = {
    ...{ clusterId: context.clusterId, groupId, groupKind, groupName, namespace, toVersion },
    ...{ changeSet: stored(changeSet), outlook: stored(outlook) },
  }
  const wanted = rolloutShapeOf(group)
  const play = async (way: Plan['way']) => (await planOf(change, way, { wanted }))?.plan ?? null
  const forbidden = planned.policy && 'forbidden' in planned.policy ? planned.policy.forbidden : []
  const allowed = (way: Plan['way']) => !forbidden.includes(way)
  return {
    inPlace: outlook.inPlace && allowed('in-place') ? await play('in-place') : null,
    replace: allowed('replace') ? await play('replace') : null,
  }
}

/** In the shape in which it would be kept. */
const stored = (value: unknown): Json => value as Json
