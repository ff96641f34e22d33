import { pool } from '@/lib/db/client'
import { applyDecision } from '@/lib/services/changes/apply'
import { applyAction } from '@/lib/services/openshift/apply-action'
import { kinds } from '@/lib/services/openshift/kinds'
import { Lanes, type LanesOptions } from './lanes'
import { log as workerLog, type Log } from './log'
import { startRounds, type Rounds } from './rounds'

export interface ApplierOptions {
  owner?: string
  intervalMs?: number
  /** How long the verb that recorded it has before the worker takes it over. */
  graceMs?: number
  log?: Log
  /** At once for each management cluster, and in all. */
  lanes?: LanesOptions
}

const INTERVAL_MS = 1_000
const GRACE_MS = 3_000
const LANES: LanesOptions = { each: 4, most: 32 }

/**
 * Picks up what was recorded and not applied: the process that recorded it died, or lost its database; and what is tried again.
 * Applied once. A management cluster that hangs keeps nothing of another one waiting. An action that waits between its steps goes
 * on when its object is heard of (stepOn); where that was missed it is looked at here, as is one of which an answer was lost.
 */
export function startApplier(options: ApplierOptions = {}): Pick<Rounds, 'stop'> {
  const { owner = `applier:${process.pid}`, intervalMs = INTERVAL_MS, graceMs = GRACE_MS, log = workerLog } = options
  const lanes = new Lanes(options.lanes ?? LANES)
  const most = (options.lanes ?? LANES).most
  /** More was found than there was room for. */
  let isMore = false
  const rounds = startRounds(async (stopped) => {
    try {
      const found = await abandoned(graceMs, lanes, most)
      if (stopped()) return
      const begun = found.filter(({ id, clusterId, kind }) =>
        lanes.begin(clusterId, id, async () => {
          const done = await once(() => APPLY[kind](id, owner), log)
          if (done && isMore) rounds.soon()
        }),
      )
      isMore = found.length === most || begun.length < found.length || lanes.full().length > 0
    } catch (error) {
      log.warn({ err: error }, 'cannot look for decisions to apply; trying again')
    }
  }, intervalMs)
  return {
    stop: async () => {
      await rounds.stop()
      await lanes.drained()
    },
  }
}

const APPLY = {
  decision: (id: string, owner: string) => applyDecision(id, owner),
  action: (id: string, owner: string) => applyAction(id, owner),
}

interface Abandoned {
  kind: keyof typeof APPLY
  id: string
  clusterId: string
}

const LEFT = `(of.state = 'recorded' AND of.claimed_until IS NULL AND of.recorded_at < clock_timestamp() - $1 * interval '1 ms'
  OR of.state IN ('recorded', 'applying') AND of.claimed_until < clock_timestamp())`

/** Of what failed only where its answer was lost. */
const UNLOOKED = `(of.state = 'waiting' AND (of.claimed_until IS NULL OR of.claimed_until < clock_timestamp()) OR of.state = 'failed' AND of.claimed_until < clock_timestamp())`

/**
 * Not applied, and nobody claims it: a recorded one gets some grace, its verb is about to claim it. Of each cluster for which there
 * is room those that wait for the longest; what failed waits anew. The first of each cluster, then the second of each.
 */
const ABANDONED = `
SELECT kind, id::text, cluster_id::text AS "clusterId" FROM (
  SELECT left_over.*, row_number() OVER (PARTITION BY cluster_id ORDER BY since, id) AS nth FROM (
    SELECT 'decision' AS kind, of.id, c.cluster_id, coalesce(of.claimed_until, of.recorded_at) AS since
    FROM decision of JOIN change c ON c.id = of.change_id WHERE ${LEFT}
    UNION ALL SELECT 'action', of.id, of.cluster_id, coalesce(of.claimed_until, of.recorded_at) FROM skew_action of
      WHERE of.kind = ANY($5) AND (${LEFT} OR ${UNLOOKED})
  ) left_over WHERE NOT cluster_id = ANY($2::uuid[]) AND NOT id = ANY($3::uuid[])
) of_each ORDER BY nth, since LIMIT $4`

async function abandoned(graceMs: number, lanes: Lanes, most: number): Promise<Abandoned[]> {
  const values = [graceMs, lanes.full(), lanes.ids(), most, [...kinds.keys()]]
  const { rows } = await pool().query<Abandoned>(ABANDONED, values)
  return rows
}

/** True: it was applied, or is not ours. */
async function once(apply: () => Promise<void>, log: Log): Promise<boolean> {
  try {
    await apply()
    return true
  } catch (error) {
    log.error({ err: error }, 'a decision could not be applied; its claim runs out and it is tried again')
    return false
  }
}
