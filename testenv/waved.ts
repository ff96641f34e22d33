import { randomUUID } from 'node:crypto'
import { afterEach } from 'vitest'
import { db } from '@/lib/db/client'
import type { Wave } from '@/lib/domain/policies'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { listRuns } from '@/lib/services/waves/list-runs'
import { lookAtRuns } from '@/worker/planner/kept-runs'
import { goInTime, holdToTimes } from '@/worker/planner/times'
import { placeInWaves } from '@/worker/planner/waves'
import type { Held } from './held'
import { cy, person, row, timedCluster } from './timed'

export const op = person('op', 'operator')

/** Held groups of one cluster in the waves of a policy, and the worker's rounds over them. */
export function wavedCluster() {
  const cluster = timedCluster()
  afterEach(async () => void (await db().waveWord.deleteMany({})))
  const place = async () => placeInWaves(await cluster.view(), lookAtRuns)
  return {
    ...cluster,
    place,
    async round(): Promise<void> {
      await place()
      await holdToTimes(await cluster.view())
      await goInTime(await cluster.view())
    },
  }
}

/** One policy for all of them, each in its wave by name. */
export async function waved(
  all: Held[],
  waves: Omit<Wave, 'select'>[],
  more = {},
): Promise<{ policyId: string; wish: string }> {
  const named = waves.map((wave, i) => ({ ...wave, select: { names: [all[i]!.name] } }))
  const { id } = await savePolicy(cy, {
    name: `p-${randomUUID()}`,
    spec: { select: { names: all.map(({ name }) => name) }, waves: named, ...more },
  })
  return { policyId: id, wish: 'version v1.34.1' }
}

export const placed = async (held: Held) =>
  (await row(held)).wave as unknown as { name: string; state: string; why: string | null }

/** A wave of a run as somebody sees it who says something about it. */
export async function seen<R extends { policyId: string; wish: string }>(run: R, wave: string) {
  const { runs } = await listRuns(op)
  const found = runs.find(({ policy, wish }) => policy.id === run.policyId && wish === run.wish)
  return { ...run, wave, bound: found?.waves.find(({ name }) => name === wave)?.bound ?? '' }
}
