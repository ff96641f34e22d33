import { db } from '@/lib/db/client'
import type { ClusterUpdates } from '@/lib/db/generated/client'
import { ackPatch, ACKNOWLEDGED, gateApplies } from '@/lib/domain/upgradeable/gates'
import { gateFollows } from '@/lib/domain/upgradeable/gate-follows'
import type { Form } from '@/lib/domain/upgradeable/types'
import type { KubeClient } from '@/lib/kubernetes/types'
import { readConfigData } from '@/lib/providers/openshift/gates'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { ackTarget, gateKind } from '../openshift/kinds/gate'
import { mayBeOld } from '../openshift/may-be-old'
import { readTarget } from '../openshift/read-target'
import { rehearse, type Rehearsal } from '../openshift/rehearse'
import { readGate, readGates } from './read-gate'
import { PreviewInput } from './schemas'

export interface GatePreview extends Pick<Rehearsal, 'call' | 'dryRun'> {
  /** The gate's words as they stand now; hand them back when acknowledging. */
  text: string
  /** What the change is bound to: hand them back when acting. */
  uid: string
  resourceVersion: string
  follows: string[]
  warnings: string[]
}

/** What acknowledging a gate would do, or taking that back: its text, the exact patch, the API server's own answer, what follows. */
export async function previewGate(ctx: Ctx, input: unknown): Promise<GatePreview> {
  requirePermission(ctx, 'skew:act')
  const { clusterId, gate, withdraw } = parseInput(PreviewInput, input)
  const row = await db().clusterUpdates.findUnique({ where: { clusterId } })
  if (!row)
    throw new ServiceError('not-found', 'There is no OpenShift cluster of that id, or it has not been read yet.')
  const client = await kubeClientFor(clusterId)
  const text = withdraw ? '' : await readGate(client, gate)
  const target = gateKind.target(ackTarget(gate))
  const live = await readTarget(client, gateKind, target)
  const { call, dryRun, owners } = await rehearse(client, gateKind, target, live, ackPatch(gate, !withdraw))
  const others = await db().upgradeBlocker.count({
    where: { clusterId, key: { not: `gate/${gate}` }, said: { not: 'no-longer' } },
  })
  const same = ((readConfigData(live, true) ?? {})[gate] === ACKNOWLEDGED) === !withdraw
  return {
    ...{ text, call, dryRun },
    uid: live.metadata.uid,
    resourceVersion: live.metadata.resourceVersion,
    follows: gateFollows({
      ...{ gate, withdraw, others, desired: row.desired },
      applies: withdraw ? await asked(client, gate, row) : appliesTo(gate, row),
    }),
    warnings: [
      ...owners,
      ...mayBeOld(row),
      ...(same ? ['It stands so already: the patch would change nothing, only the record here would be new.'] : []),
    ],
  }
}

/** Judged as the operator does, of the gate as it is now: the watch may not have heard of it yet. */
function appliesTo(gate: string, { form, version, desired }: ClusterUpdates): boolean {
  const of = form === 'risks' ? desired : version
  return of !== null && gateApplies(form as Form, gate, of) === 'yes'
}

/** Taking back is not kept from anybody because the gates cannot be read: then it counts as asked for. */
async function asked(client: KubeClient, gate: string, row: ClusterUpdates): Promise<boolean> {
  const gates = await readGates(client).catch((error: unknown) => {
    if (error instanceof ServiceError) return null
    throw error
  })
  const there = gates === null || (Object.hasOwn(gates, gate) && gates[gate] !== '')
  return there && appliesTo(gate, row)
}
