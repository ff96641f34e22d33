import type { Tx } from '@/lib/db/client'
import { movedNobodySql, movesNobodySql } from '@/lib/db/queries/moves-nobody'
import { isAgainstSql } from '../changes/against'
import { beganSql, begunSql, isOpen, OPEN_SQL } from '../changes/states'
import { KEPT_BY } from '../changes/their-pause'
import type { TheirPause } from '@/lib/domain/their-pause'

/** A group, and its newest change. */
export interface Newest {
  groupId: string
  /** What the group wants now. */
  version: string | null
  /** All of its machines are what it wants. */
  settled: boolean
  /** Null: there never was a change. */
  id: string | null
  state: string
  wish: string | null
  wishExact: string | null
  detectedAt: Date
  /** Since when it is wanted. */
  wishedAt: Date
  summary: string
  finishedAt: Date | null
  dueMode: string | null
  pausedAt: Date | null
  /** Who had it not wait for its times. */
  overrideBy?: string | null
  /** Of what was let go: what somebody paused themselves, so that it stands still. */
  theirs?: TheirPause | null
  stoppedAt: Date | null
  /** The policy by which it did; empty: it has somebody's word against it. */
  stoppedBy: string | null
  /** Every machine has it, and they were not all Ready since. */
  settling: boolean
  stepWaitsAt: Date | null
  wave: unknown
  /** Of a pool: none of its nodes lacks it now. */
  nobody?: boolean | null
  /** Of what is done: no machine is known to have begun with it. */
  unmoved?: boolean | null
  /** Of what is open: machines have begun since it was let go. */
  moved: boolean | null
  /**
   * What began last of it was never done, though it has what it wants: overtaken, or over with its cluster's connection. It had
   * stopped, or somebody had said no to it where machines were seen to begin, or have it by now unseen; or it is not available.
   */
  unended: 'stopped' | 'unready' | null
  /** Its newest change was not over when its cluster was disconnected. */
  left: boolean
  /** And waited at its hook: its group has not got that version. */
  atHook: boolean
  /** Whether what it wished is what is let go there; null: that is not known yet. */
  letSame: boolean | null
  /** As many of its machines as it wants. */
  available: boolean
  /** It wants no machine, and nothing holds it. */
  empty: boolean
  /** Of what has not begun, and whose machines are all of one revision with every one of them available. */
  stands: boolean
  fromVersion: string | null
  toVersion: string | null
  /** Of what stands: the change before it that began at last. */
  lastState: string | null
  lastWish: string | null
  lastExact: string | null
  lastAt: Date | null
}

/**
 * How it is approved, and waits for its time: not where whoever said so has taken that back since, or it is over. What asks nobody has no
 * approval at all.
 */
const DUE = `CASE WHEN due_mode IS NOT NULL AND (
  SELECT coalesce(bool_or(a.ended_at IS NULL AND (a.begun OR a.expires_at IS NULL OR a.expires_at > now())), true)
  FROM approval a WHERE a.change_id = newest.id AND a.mode = newest.due_mode) THEN due_mode END`

/**
 * A group's newest change says where it is: what it wanted before that, it may have taken back. The one that is open is it, whatever
 * clock another one was found by. By its uid alone: connected again under another name, its cluster is another one here.
 */
const NEWEST = `
SELECT g.id::text AS "groupId", g.version, g.observed_generation >= g.generation AND g.held IS NULL AND NOT g.rolling_out
  AND g.desired_replicas > 0 AND g.up_to_date_replicas >= g.desired_replicas AS settled,
  coalesce(c."leftAfter" IS NOT NULL, false) AS left, coalesce(c."leftAfter" IS NOT NULL AND c."heldBy" = 'hook' AND c."fromVersion" = g.version, false) AS "atHook",
  g.let_go = c.digest AS "letSame", g.observed_generation >= g.generation AND g.held IS NULL AND g.desired_replicas = 0 AS empty,
  g.available_replicas >= g.desired_replicas AS available,
  coalesce(c."notBegun" AND g.desired_replicas > 0 AND g.available_replicas >= g.desired_replicas, false) AS stands,
  CASE WHEN brought.state IS NULL OR brought.state IN (${OPEN_SQL}, 'done') THEN NULL WHEN brought.stopped_at IS NOT NULL OR brought.against THEN 'stopped'
    WHEN g.available_replicas < g.desired_replicas THEN 'unready' END AS unended,
  c.*, last.* FROM machine_group g LEFT JOIN LATERAL (
  SELECT id, state, digest, wish, wish_exact AS "wishExact", detected_at AS "detectedAt", coalesce(wished_at, detected_at) AS "wishedAt", held_by AS "heldBy", summary, finished_at AS "finishedAt", ${DUE} AS "dueMode", paused_at AS "pausedAt", override_by AS "overrideBy",
    stopped_at AS "stoppedAt", stopped_by AS "stoppedBy", settling, left_after AS "leftAfter", step_waits_at AS "stepWaitsAt", wave,
    CASE WHEN state IN ('approved', 'running') THEN (SELECT ${KEPT_BY} FROM change c WHERE c.id = newest.id) END AS theirs, from_version AS "fromVersion", to_version AS "toVersion",
    CASE WHEN state IN (${OPEN_SQL}) THEN ${begunSql('newest.id')} END AS moved,
    ${movesNobodySql('newest')} AS nobody, ${movedNobodySql('newest')} AS unmoved,
    CASE WHEN state NOT IN ('waiting', 'rejected') OR ${beganSql('newest')} THEN false
      ELSE jsonb_array_length(change_set->'pairs') = 1 END AS "notBegun"
  FROM change newest WHERE newest.id = coalesce(
    (SELECT id FROM change WHERE group_id = g.id AND state IN (${OPEN_SQL}) ORDER BY detected_at DESC, id LIMIT 1),
    (SELECT id FROM change WHERE group_id = g.id ORDER BY detected_at DESC, id LIMIT 1)) LIMIT 1
) c ON true LEFT JOIN LATERAL (
  SELECT state AS "lastState", wish AS "lastWish", wish_exact AS "lastExact", finished_at AS "lastAt" FROM change before
  WHERE c."notBegun" AND group_id = g.id AND id <> c.id AND ${beganSql('before')}
  ORDER BY detected_at DESC, id LIMIT 1
) last ON true LEFT JOIN LATERAL (
  SELECT state, stopped_at, (b.to_version IS NULL OR b.to_version = g.version
    OR EXISTS (SELECT 1 FROM machine_progress WHERE change_id = b.id AND started_at IS NOT NULL)) AND ${isAgainstSql('b')} AS against
  FROM change b WHERE c.state IN ('superseded', 'reverted') AND group_id = g.id AND (c."leftAfter" IS NOT NULL AND b.left_after IS NOT NULL OR ${beganSql('b')})
  ORDER BY detected_at DESC, id LIMIT 1
) brought ON true WHERE g.id = ANY($1::uuid[])`

/** Of many groups, by their ids. */
export async function newestOf(tx: Tx, ids: readonly string[]): Promise<Map<string, Newest>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.$queryRawUnsafe<Newest[]>(NEWEST, ids)
  return new Map(rows.map((row) => [row.groupId, row]))
}

/** Its newest change says where it is with what that wants. */
export const speaksItself = ({ id, state, wish }: Newest): boolean =>
  id !== null && wish !== null && (isOpen(state) || state === 'done')
