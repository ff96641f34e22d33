import type { DrainWait } from '@/lib/domain/pools/drain'
import { stepsDone, type Step } from '@/lib/domain/pools/steps'
import type { Phase } from '@/lib/domain/pools/types'
import { standingOf, type Standing } from '@/lib/domain/pools/progress'
import type { ConfigNode, ConfigPool } from '@/lib/db/generated/client'

export interface NodeDto {
  id: string
  name: string
  pool: string
  zone: string | null
  phase: Phase
  /** Where it is as its pool wants it: whether that is of the release that is wanted. */
  standing: Standing
  sentence: string
  hint: string | null
  step: string | null
  since: string | null
  stuck: boolean
  release: string | null
  currentConfig: string | null
  desiredConfig: string | null
  unavailable: boolean
  steps: Step[] | null
  done: number
  of: number
  drain: DrainWait | null
}

/** Of the pool's configuration. */
export const poolStanding = ({ wantedRelease: wanted, desiredRelease: desired, clusterUpdating }: Its): Standing =>
  standingOf({ wanted, desired, clusterUpdating })
type Its = Pick<ConfigPool, 'wantedRelease' | 'desiredRelease' | 'clusterUpdating'>

export function nodeDto(row: ConfigNode, pool: Its, now = Date.now()): NodeDto {
  const steps = row.steps as unknown as Step[] | null
  return {
    id: row.id,
    name: row.name,
    pool: row.pool,
    zone: row.zone,
    phase: row.phase as Phase,
    standing: poolStanding(pool),
    sentence: row.sentence,
    hint: row.hint,
    step: row.step,
    since: row.since?.toISOString() ?? null,
    stuck: row.phase !== 'degraded' && row.stuckFrom !== null && row.stuckFrom.getTime() <= now,
    release: row.release,
    currentConfig: row.currentConfig,
    desiredConfig: row.desiredConfig,
    unavailable: row.unavailable,
    steps,
    ...stepsDone(steps),
    drain: row.drain as unknown as DrainWait | null,
  }
}
