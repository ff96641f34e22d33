import { fingerprintOfAll } from '@/lib/domain/changes'
import type { Capabilities } from '@/lib/domain/capabilities'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { isPool } from '@/lib/domain/latch/hold'
import { KubeError, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { changeOf, clientSource, type GroupChange } from '@/lib/providers/cluster-api/changes'
import { OS_CONFIGS, readBuilt } from '@/lib/providers/openshift/built'
import { compareConfigs, type CompareConfigs, type ReadConfig } from '@/lib/providers/openshift/compare-configs'
import { poolChange, type PoolChange, type Waits } from '@/lib/providers/openshift/pool-change'
import { MACHINE_CONFIGS } from '@/lib/providers/openshift/rendered'
import { letGoOf } from './let-go'
import { straysOf } from './strays'

interface Reading {
  clusterId: string
  client: KubeClient
  resources: Capabilities['resources']
  /** What may not be read is an error, not something that waits: for those who act on it. */
  strict?: true
  /** Of a pool: a change of it that waits. */
  waits?: Waits
}

/** What a group of any kind wants that its machines have not, read from the API server. */
export async function groupChange(
  group: KubeObject,
  { clusterId, client, resources, strict, waits }: Reading,
): Promise<GroupChange> {
  if (isPool(group)) {
    const pool = 'built' in group ? group : await readBuilt(client, group, resources[OS_CONFIGS])
    const read = configsOf(client, strict)
    const compare: CompareConfigs = (from, to) => compareConfigs(read, from, to)
    const strays = (config: string) => straysOf(pool.metadata.uid, config, pool.built)
    return asGroupChange(pool, await poolChange(pool, compare, strays, waits))
  }
  return changeOf(group, {
    ...clientSource({ client, resources, letGo: (uid) => letGoOf(clusterId, uid) }),
    ...(strict ? { strict } : {}),
  })
}

/** Rendered configs, each asked for anew: whoever may can edit one. */
export const configsOf =
  (client: KubeClient, strict?: true): ReadConfig =>
  async (name) => {
    try {
      return await client.get(MACHINE_CONFIGS, name)
    } catch (error) {
      if (!(error instanceof KubeError) || (error.code !== 404 && (error.code !== 403 || strict))) throw error
      return {
        unread:
          error.code === 404
            ? `The rendered config ${name} does not exist: nobody knows what its nodes would take up.`
            : `The API server does not let Drydock read the MachineConfig ${name}: apply the RBAC that the page Clusters shows.`,
      }
    }
  }

/** In the form in which everything that decides and applies knows it. */
export function asGroupChange(group: KubeObject, change: PoolChange | null): GroupChange {
  const { uid, name } = group.metadata
  const digest = rolloutDigest(group) ?? ''
  const pairs = change ? [{ pair: change.pair, question: null }] : []
  return {
    owner: { uid, namespace: '', name, kind: group.kind },
    replicas: change?.step.machines ?? Number(group.status?.machineCount ?? 0),
    strategy: { type: 'RollingUpdate', maxSurge: 0, maxUnavailable: change?.step.atOnce ?? 1 },
    ...{ pairs, digest },
    fingerprint: change ? fingerprintOfAll([change.pair.fingerprint, digest]) : '',
  }
}
