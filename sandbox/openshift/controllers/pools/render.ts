import type { JsonObject } from '../../../../lib/domain/json'
import { AS, one, R, type Env } from '../env'
import { renderedName } from '../../machines'
import { renderedSpec } from '../../rendered'
import { PREFIX } from './node'

/** Makes the pool's next config and points the pool at it, as the render controller does when a MachineConfig of it changes. */
export async function renderNext(env: Env, cluster: string, pool: string, round: number): Promise<void> {
  const before = (one(env, R.pools, pool)?.spec?.configuration as JsonObject | undefined)?.name
  const release = one(env, R.configs, String(before))?.metadata.annotations?.[`${PREFIX}release-image-version`] ?? ''
  const name = renderedName(cluster, pool, round)
  if (!env.store.get(R.configs, name)) {
    const metadata = { name, annotations: { [`${PREFIX}release-image-version`]: release } }
    const body = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', metadata }
    await env.store.create(R.configs, { ...body, spec: renderedSpec(release, round) }, AS.controller)
  }
  await env.store.merge(R.pools, pool, { spec: { configuration: { name } } }, AS.controller)
}

/** Which round a pool's config is of, so that a sandbox that is started again goes on after it. */
export function roundOf(env: Env, cluster: string, pool: string): number {
  const name = (one(env, R.pools, pool)?.spec?.configuration as JsonObject | undefined)?.name
  for (let round = 1; round < 10_000; round++) if (renderedName(cluster, pool, round) === name) return round
  return 1
}
