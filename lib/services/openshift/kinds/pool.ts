import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { HELD } from '@/lib/domain/latch/names'
import { notPausable } from '@/lib/domain/pools/pause-risk'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { POOLS, readPool } from '@/lib/providers/openshift/pools'
import { whyHeld } from '../../pools/why-held'
import type { ActionKind, Seen } from '../kind'

/** As a row's target. */
export const poolTarget = (name: string): string => `machineconfigpools/${name}`
const nameIn = (target: string): string => target.slice(target.indexOf('/') + 1)

/** Pause and resume of a MachineConfigPool. */
export const poolKind: ActionKind = {
  kind: 'pool',
  audit: 'pool',
  topic: 'pools',
  permission: 'pools:act',
  // What waits drains and reboots nodes: letting that go is an approver's, as letting a change go is.
  permissionFor: (action) => (action === 'resume' ? 'pools:resume' : 'pools:act'),
  objectKind: 'MachineConfigPool',
  target: (key) => ({ resource: POOLS, name: nameIn(key), words: `MachineConfigPool/${nameIn(key)}` }),
  words: {
    missing: 'Somebody deleted this pool; its nodes belong to another one now.',
    unknownField: 'this API server does not know spec.paused of a pool',
    takenUp: 'the watch showed it',
  },
  stands,
  still,
  seen,
  otherwise: ({ metadata }, { action }) => action === 'resume' && HELD in (metadata.annotations ?? {}),
}

/** What waits for approval by the time of a retry is not let go with it. */
async function still({ clusterId, target, action }: OpenShiftAction, client: KubeClient): Promise<string | null> {
  if (action === 'pause') return notPausable({ name: nameIn(target) })
  const live = await client.get(POOLS, nameIn(target))
  return (await whyHeld(clusterId, live.metadata.uid, nameIn(target), live, client))?.message ?? null
}

function stands(object: KubeObject): string {
  const { paused, desiredConfig } = readPool(object)
  return `${paused ? 'paused' : 'not paused'}, and wants ${desiredConfig ?? 'no configuration yet'}`
}

/** Seen when the watch shows the pause, which is all that a pause is: what nodes make of it stands on the pool's page. */
async function seen({ clusterId, target, action, generation }: OpenShiftAction): Promise<Seen | null> {
  const pool = await db().configPool.findUnique({ where: { clusterId_name: { clusterId, name: nameIn(target) } } })
  // A row of before says what was so before.
  if (!pool || pool.generation < (generation ?? 0n)) return null
  if (pool.paused !== (action === 'pause')) return null
  return { answer: pool.sentence, details: { state: pool.state, updated: pool.updated, machines: pool.machines } }
}
