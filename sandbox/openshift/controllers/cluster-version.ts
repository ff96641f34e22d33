import type { JsonObject } from '../../../lib/domain/json'
import { SUB_CONDITIONS, upgradeableConditions } from '../../../lib/domain/upgradeable/conditions'
import { formOf } from '../../../lib/domain/upgradeable/gates'
import { findings } from '../../../lib/domain/upgradeable/report'
import { ADMIN_ACKS, ADMIN_GATES, keyOf, readUpgradeFacts } from '../../../lib/providers/openshift/gates'
import type { StoreEvent } from '../../types'
import { all, AS, conditionsWith, one, R, type Env } from './env'

/** Up to 4.22 the operator looks at the ClusterOperators no more often than this. */
const LOOK_SECONDS = 120

/** Whether updates to another minor version are open, as the Cluster Version Operator of the cluster's release writes it. */
export async function reportUpgradeable(env: Env): Promise<void> {
  const version = one(env, R.clusterVersions, 'version')
  if (!version) return
  const facts = readUpgradeFacts({
    clusterVersion: version,
    operators: all(env, R.operators),
    gates: one(env, R.configMaps, keyOf(ADMIN_GATES)),
    acks: one(env, R.configMaps, keyOf(ADMIN_ACKS)),
    readable: { gates: true, acks: true },
  })
  const wanted = upgradeableConditions(findings(facts), facts.desired)
  const kept = ((version.status?.conditions ?? []) as JsonObject[]).filter(
    ({ type }) => !WRITTEN.includes(String(type)) || wanted.some((w) => w.type === type),
  )
  const gone = kept.length !== ((version.status?.conditions ?? []) as JsonObject[]).length
  const conditions = conditionsWith({ ...version, status: { ...version.status, conditions: kept } }, wanted)
  if (!conditions && !gone) return
  const status = { conditions: conditions ?? kept }
  await env.store.merge(R.clusterVersions, 'version', { status }, AS.version, 'status')
}

const WRITTEN: readonly string[] = ['Upgradeable', ...SUB_CONDITIONS]

/**
 * Whether an event makes it look, and whether at once: gates and acknowledgements do in every release, ClusterOperators only from
 * 4.23 on.
 */
export function versionCares(env: Env, { resource, key }: StoreEvent): 'now' | 'later' | null {
  if (resource === R.configMaps) return key === keyOf(ADMIN_GATES) || key === keyOf(ADMIN_ACKS) ? 'now' : null
  if (resource !== R.operators && resource !== R.clusterVersions) return null
  const desired = one(env, R.clusterVersions, 'version')?.status?.desired as { version?: string } | undefined
  return formOf(desired?.version ?? null) === 'risks' ? 'now' : 'later'
}

/** Looks again when the time has come; several events in between make one look. */
export function versionClock(env: Env, look: () => void) {
  let waiting = false
  return {
    later(): void {
      if (waiting) return
      waiting = true
      void env.sleep(LOOK_SECONDS).then((go) => {
        waiting = false
        if (go) look()
      })
    },
  }
}
