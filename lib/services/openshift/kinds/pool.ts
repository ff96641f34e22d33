import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { HELD } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { POOLS, readPool } from '@/lib/providers/openshift/pools'
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
  objectKind: 'MachineConfigPool',
  target: (key) => ({ resource: POOLS, name: nameIn(key), words: `MachineConfigPool/${nameIn(key)}` }),
  words: {
    missing: 'Somebody deleted this pool; its nodes belong to another one now.',
    unknownField: 'this API server does not know spec.paused of a pool',
  },
  stands,
  seen,
  otherwise: ({ metadata }, { action }) => action === 'resume' && HELD in (metadata.annotations ?? {}),
}

function stands(object: KubeObject): string {
  const { paused, desiredConfig } = readPool(object)
  return `${paused ? 'paused' : 'not paused'}, and wants ${desiredConfig ?? 'no configuration yet'}`
}

/** Seen when the watch shows the pause, which is all that a pause is: what nodes make of it stands on the pool's page. */
async function seen({ clusterId, target, action }: OpenShiftAction): Promise<Seen | null> {
  const pool = await db().configPool.findUnique({ where: { clusterId_name: { clusterId, name: nameIn(target) } } })
  if (!pool || pool.paused !== (action === 'pause')) return null
  return { answer: pool.sentence, details: { state: pool.state, updated: pool.updated, machines: pool.machines } }
}
