import type { JsonObject } from '../../../../lib/domain/json'
import { StatusError } from '../../../apiserver/status'
import { AS, conditionsWith, one, R, type Env } from '../env'
import { renderedName } from '../../machines'
import { renderedSpec } from '../../rendered'
import { PREFIX } from './node'

/** The controller backs off as its work queue does, and tries anew every minute or two in the end. */
const FIRST_SECONDS = 0.005
const MOST_SECONDS = 60

/**
 * Makes the pool's next config and points the pool at it, as the render controller does when a MachineConfig of it changes. What an
 * API server refuses of that the pool says, and it is tried until it is taken.
 */
export async function renderNext(env: Env, cluster: string, pool: string, round: number): Promise<void> {
  for (let wait = FIRST_SECONDS; one(env, R.pools, pool); wait = Math.min(2 * wait, MOST_SECONDS)) {
    const refused = await render(env, cluster, pool, round)
    await say(env, pool, refused && `Failed to render configuration for pool ${pool}: ${refused.message}`)
    if (!refused || !(await env.sleep(wait))) return
  }
}

/** Null: it was taken. */
async function render(env: Env, cluster: string, pool: string, round: number): Promise<StatusError | null> {
  const before = (one(env, R.pools, pool)?.spec?.configuration as JsonObject | undefined)?.name
  const release = one(env, R.configs, String(before))?.metadata.annotations?.[`${PREFIX}release-image-version`] ?? ''
  const name = renderedName(cluster, pool, round)
  try {
    if (!env.store.get(R.configs, name)) {
      const metadata = { name, annotations: { [`${PREFIX}release-image-version`]: release } }
      const body = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', metadata }
      await env.store.create(R.configs, { ...body, spec: renderedSpec(release, round) }, AS.controller)
    }
    await env.store.merge(R.pools, pool, { spec: { configuration: { name } } }, AS.controller)
    return null
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
}

/** What the node controller makes Degraded of. */
async function say(env: Env, pool: string, message: string | null): Promise<void> {
  const found = one(env, R.pools, pool)
  const status = message === null ? 'False' : 'True'
  const wanted = [{ type: 'RenderDegraded', status, reason: '', message: message ?? '' }]
  const conditions = found && conditionsWith(found, wanted)
  if (conditions) await env.store.merge(R.pools, pool, { status: { conditions } }, AS.controller, 'status')
}

/** Which round a pool's config is of, so that a sandbox that is started again goes on after it. */
export function roundOf(env: Env, cluster: string, pool: string): number {
  const name = (one(env, R.pools, pool)?.spec?.configuration as JsonObject | undefined)?.name
  for (let round = 1; round < 10_000; round++) if (renderedName(cluster, pool, round) === name) return round
  return 1
}
