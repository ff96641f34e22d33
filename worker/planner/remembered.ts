import type { RevisionPair } from '@/lib/domain/changes'
import { STOPPED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { count } from '@/lib/providers/fields'
import { rememberedOf } from '@/lib/services/changes/answered'
import type { PlanContext } from './common'
import { NOBODY_LET_GO } from './stop'

/** As it stands on a group that is paused for that. */
export const BY_MEMORY = `${STOPPED}${NOBODY_LET_GO.remembered}`

/** Whether Cluster API may move what only the gate holds, without asking it. */
export const rememberedBy = ({ source }: PlanContext, group: KubeObject, pairs: readonly RevisionPair[]) =>
  rememberedOf({ groupId: group.metadata.uid, groupKind: group.kind, pairs }, async () =>
    (await source.machineSets(group)).filter(hasMachines).map(({ metadata }) => metadata.name),
  )

const hasMachines = ({ spec, status }: KubeObject): boolean =>
  (count(spec, 'replicas') ?? 0) > 0 || (count(status, 'replicas') ?? 0) > 0
