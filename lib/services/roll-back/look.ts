import type { Change } from '@/lib/db/generated/client'
import { managedInstead } from '@/lib/domain/plan/roll-back'
import { same } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { BACK, HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { applyPatch } from '@/lib/domain/merge-patch'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changeOf, refOf, type GroupChange } from '@/lib/providers/cluster-api/changes'
import { callFor } from '../changes/patch-for'
import { isHeld } from '../changes/hold-of'
import { OPEN } from '../changes/states'
import type { DecisionCall } from '../changes/change-row'
import { patched } from '../plan/cluster'
import { OWNED, type PlanContext } from '../plan/context'
import { isDateNew } from '../plan/plan-group'
import { formerOf, machineSpec, type Former } from './former'

/** Going back as it is at this moment: tried on the API server, and compared as a change that waits. */
export interface Looked extends Former {
  planned: KubeObject
  compared: GroupChange
  /** The patch, and the call that it is made with. */
  body: JsonObject
  call: DecisionCall
  /** Fields of the machines' spec that it writes. */
  fields: string[]
  /** Why Drydock does not write it; null: it may be written. */
  why: string | null
}

export async function lookBack(context: PlanContext, change: Change): Promise<Looked> {
  const former = await formerOf(context.client, change)
  const { group, set, resource } = former
  const [now, then] = [machineSpec(group), machineSpec(set)]
  const spec = { template: { spec: applyPatch(now, then) } }
  const planned = await patched(context, group, { spec })
  const compared = await changeOf(planned, context.sourceFor(group), isDateNew(planned, group))
  const body = { metadata: held(group, set), spec }
  return {
    ...{ ...former, planned, compared, body },
    call: callFor(resource, group, body),
    fields: [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((key) => !same(now[key], then[key])),
    why: await whyNot(context, change, former, planned),
  }
}

/** What a group wants has this number: whoever writes its spec makes it another one. */
export const generationOf = ({ metadata }: KubeObject): number => metadata.generation ?? 0

/** The hold goes with the write: whatever became of the latch since it was tried, nothing moves by it. */
const held = ({ metadata: { resourceVersion, annotations = {} } }: KubeObject, set: KubeObject): JsonObject => ({
  resourceVersion,
  annotations: {
    [PAUSED]: annotations[PAUSED] ?? PAUSED_BY_DRYDOCK,
    [HELD]: `${BACK}${set.metadata.name}`,
  },
})

async function whyNot(
  context: PlanContext,
  change: Change,
  { group, set }: Former,
  planned: KubeObject,
): Promise<string | null> {
  if (!OPEN.includes(change.state)) return 'This change is over.'
  const { fromVersion: from, toVersion: to, workloadCluster } = change
  if (OWNED in (group.metadata.labels ?? {})) return managedInstead(workloadCluster, { from, to })
  const gone = await missingTemplate(context, set)
  if (gone) return `The template ${gone} of its former revision does not exist any more: make it again first.`
  if (same(machineSpec(group), machineSpec(set)))
    return 'Its template is the former one already: what it changes stands elsewhere, as in rollout.after. Write that by hand.'
  if (!isHeld(planned))
    return 'Nothing holds this group: written, it would go back at once, without anybody’s approval. Govern it first, or write its former state by hand.'
  return null
}

async function missingTemplate(context: PlanContext, set: KubeObject): Promise<string | null> {
  const spec = machineSpec(set)
  const source = context.sourceFor(set)
  for (const ref of [refOf(spec, 'infrastructureRef'), refOf(spec, 'bootstrap', 'configRef')])
    if (ref && !(await source.template(ref, set.metadata.namespace ?? ''))) return ref.name
  return null
}
