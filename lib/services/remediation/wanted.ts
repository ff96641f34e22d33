import { LEFT_AFTER_MIN } from '@/lib/domain/health-checks'
import { OPEN } from '../changes/states'

/** States in which a change still has machines whose turn comes: rejected, it has none, and only what had begun goes on to its end. */
const STATES = OPEN.filter((state) => state !== 'rejected')
const IN_STATES = STATES.map((state) => `'${state}'`).join(', ')

/** Machine m is of the group of change c. */
export const IS_OF = `(m.cluster_id = c.cluster_id AND m.workload_cluster = c.workload_cluster
  AND m.namespace = c.namespace AND m.group_kind = c.group_kind AND m.group_name = c.group_name)`
/** Change c, a machine m of its group, and how m fares in c (p; there may be none). */
export const OF_CHANGE = `change c JOIN machine m ON ${IS_OF}
LEFT JOIN machine_progress p ON p.change_id = c.id AND p.machine_id = m.id`

/** Whoever leaves a cluster leaves no mark there. */
const ASKED = `c.skips_at IS NOT NULL AND NOT m.deleting
  AND EXISTS (SELECT 1 FROM management_cluster k WHERE k.id = c.cluster_id AND k.state <> 'disconnected')`
const IS_OPEN = `c.state IN (${IN_STATES})`

const NONE_COMES = `c.state IN ('rejected', 'done', 'superseded', 'reverted')`

/** It is being updated: that goes on also where the group is held again. */
const BEGUN = `(m.updating OR (p.started_at IS NOT NULL AND p.state IN ('updating', 'failed') AND p.predicted IN ('in-place', 'in-place-with-spare')))`

/** Its turn comes: let go in place, and nothing holds it. What is on its way to the cluster counts. */
const COMES = `(m.verdict IN ('in-place', 'in-place-with-spare') AND p.predicted IS DISTINCT FROM 'replace'
  AND c.state IN ('approved', 'running', 'stuck')
  AND EXISTS (SELECT 1 FROM decision d WHERE d.change_id = c.id AND d.mode = 'in-place' AND d.state IN ('applying', 'accepted', 'seen'))
  AND NOT EXISTS (SELECT 1 FROM machine_group g WHERE g.id = c.group_id AND g.held IS NOT NULL AND c.state <> 'approved'))`

/**
 * What a change had begun goes on to its end, also where that one is over, however long ago, or its rest is rejected, by then; what
 * failed is asked about again.
 */
const AT_WORK = `(p.started_at IS NOT NULL AND p.state IN ('updating', 'failed') AND m.updating)`

/** Its host may still be on its way back. What is not well long after its update is its health check's. */
const JUST_UPDATED = `(p.started_at IS NOT NULL AND p.state = 'done' AND NOT (m.ready AND m.up_to_date IS NOT FALSE)
  AND p.finished_at > now() - interval '${LEFT_AFTER_MIN} minutes')`

/** Remediation of m is to be skipped for c. */
export const TO_SKIP = `${ASKED} AND ${IS_OPEN} AND (${BEGUN} OR ${COMES} OR ${JUST_UPDATED})`
/** What is skipped already stays so until it is through: the last machine of a change may be well only after its end. */
export const TO_KEEP = `${ASKED} AND (${IS_OPEN} AND (${BEGUN} OR ${COMES} OR ${JUST_UPDATED}) OR ${NONE_COMES} AND (${AT_WORK} OR ${JUST_UPDATED}))`
