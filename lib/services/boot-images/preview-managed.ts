import { labelling } from '@/lib/domain/boot-images/managed/selector'
import { leavesAutomatic, managedShows } from '@/lib/domain/boot-images/managed/plan'
import type { ManagedFollows } from '@/lib/domain/boot-images/managed/preview'
import { kubeClientFor } from '../clusters/connection'
import { gateOfChoice } from '@/lib/domain/upgradeable/known-gates'
import { parseInput, requirePermission, type Ctx } from '../context'
import type { ApiCall } from '../openshift/action-row'
import { patchOf } from '../openshift/action-row'
import { managedKind } from '../openshift/kinds/managed'
import { CLUSTER_CONFIGURATION } from '../openshift/kinds/skew'
import { mayBeOld } from '../openshift/may-be-old'
import { readTarget } from '../openshift/read-target'
import { rehearse, type Rehearsal } from '../openshift/rehearse'
import { managedToConfirm, sentenceOf } from '../skew/to-confirm'
import { followsNow } from './managed-follows'
import { managedCluster, setsNow, stateOf } from './managed-now'
import { planManaged, wishOf } from './plan-managed'
import { PreviewManagedInput } from './schemas'

export interface ManagedPreview extends Pick<Rehearsal, 'dryRun'> {
  clusterId: string
  resourceVersion: string
  generation: number | null
  uid: string
  /** The writes in order; only the first can be tried now. */
  steps: { label: string; call: ApiCall; waitsFor: string | null; back: string | null }[]
  follows: ManagedFollows
  /** What somebody has to say is meant; null: nothing. */
  confirm: string | null
  warnings: string[]
  /** How to have a set that the selector does not match managed; Drydock does not label machine sets. */
  commands: string[]
  /** Labels by which sets could be made to match, and that are the system's own. */
  systemLabels: string[]
}

/** What a wish about managed boot images would do: which sets change and how, which writes it takes, and what the first is answered with. */
export async function previewManaged(ctx: Ctx, input: unknown): Promise<ManagedPreview> {
  requirePermission(ctx, 'skew:act')
  const { clusterId, ...asked } = parseInput(PreviewManagedInput, input)
  const wish = wishOf(asked)
  const card = await managedCluster(clusterId)
  const client = await kubeClientFor(clusterId)
  const target = managedKind.target(CLUSTER_CONFIGURATION)
  const [live, all] = await Promise.all([readTarget(client, managedKind, target), setsNow(clusterId)])
  const state = stateOf(live, card)
  const steps = planManaged(wish, state, card)
  const bodies = steps.map(({ body }) => body)
  const { call, dryRun, owners } = await rehearse(client, managedKind, target, live, bodies[0]!, bodies)
  const follows = await followsNow(wish, state, card)
  const gate = gateOfChoice(card.version, card.platform ?? '', state.managers)
  const rows = asked.sets.mode === 'Partial' ? asked.sets.rows : null
  const labels = all.flatMap((set) => (rows && set.kind === 'MachineSet' && labelling(rows, set)) || [])
  return {
    clusterId,
    resourceVersion: live.metadata.resourceVersion,
    generation: live.metadata.generation ?? null,
    uid: live.metadata.uid,
    // What a later one is bound to is the state that the one before leaves.
    steps: steps.map(({ label, body, waitsFor = null, back }, i) => ({
      ...{ label, waitsFor, call: i === 0 ? call : patchOf(target, body) },
      back: back?.label ?? null,
    })),
    ...{ dryRun, follows, confirm: sentenceOf(managedToConfirm(card, wish)) },
    warnings: [
      ...owners,
      ...(rows && !follows.sets.some((set) => set.managedThen && set.kind === 'MachineSet')
        ? ['The selector matches no machine set: nothing is managed then.']
        : []),
      ...(state.managers && managedShows(state.effectiveManagers, wish) && !wish.skew
        ? ['It is configured so already: nothing would change but the record here.']
        : []),
      ...(leavesAutomatic(wish, state)
        ? ['Between the two writes the operator has to take up the first. If it does not run, the second never goes.']
        : []),
      ...mayBeOld(card),
      ...(gate
        ? [`With it the gate ${gate} is answered, whichever is chosen: the operator takes it back, and the next release keeps to what was said here.`] // prettier-ignore
        : []),
    ],
    commands: labels.flatMap(({ command }) => command ?? []),
    systemLabels: [...new Set(labels.flatMap(({ systems }) => systems))],
  }
}
