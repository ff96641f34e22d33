import { namedIn } from '@/lib/kubernetes/paths'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { movesNobodySql } from '@/lib/db/queries/moves-nobody'
import { holdEnds, LEVELS, levelOf } from '@/lib/domain/holds'
import { ageWords } from '@/lib/domain/holds/age'
import { isPool } from '@/lib/domain/latch/hold'
import { PAUSED_AND, type TheirPause } from '@/lib/domain/their-pause'
import { recordAudit } from '@/lib/services/audit/record'
import { changeDto, NEWEST_DECISION } from '@/lib/services/changes/change-row'
import { sendEvent } from '@/lib/services/changes/events'
import { hasItsTime } from '@/lib/services/changes/has-its-time'
import { expiryWords } from '@/lib/services/fleet/rotation-words'
import { HELD_SINCE, IS_HELD } from '@/lib/services/changes/held-for'
import { standingsWhereKnown } from '@/lib/services/changes/standing'
import { THEIR_PAUSE } from '@/lib/services/changes/their-pause'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import type { Governed } from '@/lib/services/policies/rules-for'
import { log } from '../log'
import { holds } from '../metrics'
import type { ClusterView } from '../types'
import { owned } from './common'
import { rulesOf } from './rules-of'

interface Row extends Governed {
  id: string
  groupId: string
  level: number
  state: string
  summary: string
  due: boolean
  /** Somebody's own pause, which Drydock never takes away. */
  theirs: TheirPause | null
  /** At the hook of its Cluster's version: the group itself goes on. */
  waits: boolean
  /** Held by answers alone, at that hook or at the gate: nothing paused the group. */
  unpaused: boolean
  /** No node of its pool lacks it: it keeps nothing from anybody. */
  nobody: boolean
  /** Null: nobody knows, and it is not called old. */
  since: Date | null
  /** Of a pool: when the first certificate that its nodes trust expires. */
  certExpiry: Date | null
  apiVersion: string
  resourceVersion: string
}

const HELD = `
SELECT c.id, c.cluster_id AS "clusterId", c.group_id AS "groupId", c.group_kind AS "groupKind", c.group_name AS "groupName",
  c.namespace, c.workload_cluster AS "workloadCluster", c.state, c.summary, c.hold_level AS level, c.due_mode IS NOT NULL AS due, ${THEIR_PAUSE} AS theirs, c.held_by = 'hook' AS waits, c.held_by IN ('hook', 'gate') AS unpaused,
  ${HELD_SINCE} AS since, ${movesNobodySql('c')} AS nobody, (SELECT cert_expiry FROM config_pool WHERE id = g.id) AS "certExpiry", g.api_version AS "apiVersion", g.resource_version AS "resourceVersion"
FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
WHERE c.cluster_id = $1::uuid AND ${IS_HELD} ORDER BY c.id`

const IS_OVER = `NOT EXISTS (SELECT 1 FROM machine_group g WHERE g.id = c.group_id AND g.cluster_id = c.cluster_id AND ${IS_HELD})`
/** What is not held any more, or over, is not old either: locked in the order in which others lock changes. */
const FRESH = `
WITH one AS (SELECT c.id FROM change c WHERE c.cluster_id = $1::uuid AND c.hold_level > 0 AND ${IS_OVER} ORDER BY c.id FOR UPDATE)
UPDATE change c SET hold_level = 0 FROM one WHERE c.id = one.id RETURNING c.id`
/** Groups that are being written are looked at in the next round. */
const UNTOLD = `
WITH one AS (SELECT g.id FROM machine_group g WHERE g.cluster_id = $1::uuid AND g.hold_told > 0
  AND NOT EXISTS (SELECT 1 FROM change c WHERE c.cluster_id = g.cluster_id AND c.group_id = g.id AND ${IS_HELD}) FOR UPDATE SKIP LOCKED)
UPDATE machine_group g SET hold_told = 0 FROM one WHERE g.id = one.id`

/** Of thousands that become old at once, so many in a round. */
const AT_ONCE = 200

/** Says of each held change how pressing its age is by its policies; what becomes more so is recorded, and said on the object. */
export async function ageHolds(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { clusterId, name, fence } = view
  await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    const young = await tx.$queryRawUnsafe<{ id: string }[]>(FRESH, clusterId)
    if (young.length > 0) await announce(tx, { topic: 'changes', cluster: clusterId, ids: young.map(({ id }) => id) })
    await tx.$executeRawUnsafe(UNTOLD, clusterId)
  })
  const held = await db().$queryRawUnsafe<Row[]>(HELD, clusterId)
  const levels = await levelsOf(clusterId, held)
  // A cluster that was given up meanwhile is counted by whoever has it now.
  if (stopped()) return
  for (const [i, age] of LEVELS.entries())
    holds.set({ cluster: name, age }, levels.filter((level) => level === i).length)
  const changed = held.flatMap((row, i) => (levels[i] === row.level ? [] : [{ row, level: levels[i]! }]))
  for (const { row, level } of changed.sort((a, b) => b.level - a.level).slice(0, AT_ONCE)) {
    if (stopped()) return
    await become(view, row, level).catch((err: unknown) =>
      log.warn({ err, cluster: name, change: row.id }, 'the age of a hold could not be told; it will be repeated'),
    )
  }
}

/** Due and open when they were last looked at. */
const open = new Map<string, ReadonlySet<string>>()

async function levelsOf(clusterId: string, held: readonly Row[]): Promise<number[]> {
  const rules = await rulesOf(held)
  const levels = held.map(({ level, since, certExpiry, groupKind, waits, nobody }, i) => {
    const of = rules[i]!
    if (!since || nobody) return 0
    // Where nobody knows what its policies say, it stays what it was.
    if (of instanceof ServiceError) return level
    const { remindAfter, escalateAfter, holdLimit } = of
    const values = { remindAfter: remindAfter.value, escalateAfter: escalateAfter.value, holdLimit: holdLimit.value }
    const grown = LEVELS.indexOf(levelOf(Date.now() - since.getTime(), groupKind, values, holdEnds(certExpiry)))
    return waits ? Math.min(grown, LEVELS.indexOf('overdue')) : grown
  })
  const itsTime = await withItsTime(
    clusterId,
    // What somebody paused themselves does not go by itself.
    held.filter(({ due, theirs }, i) => due && !theirs && levels[i]! > 0).map(({ id }) => id),
  )
  // What goes by itself asks nobody for anything; that a control plane stands still is dangerous all the same.
  return levels.map((level, i) => (itsTime.has(held[i]!.id) && LEVELS[level] !== 'dangerous' ? 0 : level))
}

const CHUNK = 500

/** Those of these changes that are approved, and go by themselves at a time that is known; not those that could have gone. */
async function withItsTime(clusterId: string, ids: readonly string[]): Promise<Set<string>> {
  const [found, opened] = [new Set<string>(), new Set<string>()]
  for (let i = 0; i < ids.length; i += CHUNK) {
    const rows = await db().change.findMany({
      where: { id: { in: ids.slice(i, i + CHUNK) } },
      include: { cluster: { select: { name: true } }, decisions: NEWEST_DECISION },
    })
    const changes = rows.map(changeDto)
    const standings = await standingsWhereKnown(changes)
    for (const change of changes) {
      const standing = standings.get(change.id)
      if (standing?.timing.open) opened.add(change.id)
      const couldHaveGone = standing?.timing.open && open.get(clusterId)?.has(change.id)
      if (!couldHaveGone && hasItsTime(change, standing)) found.add(change.id)
    }
  }
  open.set(clusterId, opened)
  return found
}

const SAYS = ['', 'hold.reminded', 'hold.put-before-everybody', 'hold.dangerous']

/** A hold is told of once for each step, whatever is written to the group meanwhile. */
async function become(view: ClusterView, row: Row, level: number): Promise<void> {
  const { clusterId, name, fence } = view
  const { id, groupId, groupKind, groupName, namespace } = row
  const age = ageWords(Date.now() - (row.since?.getTime() ?? Date.now()))
  const pool = isPool({ kind: groupKind })
  const still = pool ? 'its pool has been paused' : row.unpaused ? 'it has waited' : 'the group has stood still'
  const theirs = row.theirs ? (pool ? ' by somebody' : `, ${PAUSED_AND[row.theirs]}`) : ''
  // No age of a pause is dangerous by itself.
  const ends = pool && LEVELS[level] === 'dangerous' && row.certExpiry ? `, and ${expiryWords(row.certExpiry)}` : ''
  const words = `${row.summary}: ${still} for ${age}${theirs}${ends}`
  const told = await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    const { count } = await tx.change.updateMany({ where: { id, holdLevel: row.level }, data: { holdLevel: level } })
    if (count === 0) return false
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [id] })
    const first = await tx.group.updateMany({
      where: { id: groupId, clusterId, holdTold: { lt: level } },
      data: { holdTold: level },
    })
    if (first.count === 0) return false
    await recordAudit(tx, systemCtx('holds'), {
      action: SAYS[level]!,
      target: { kind: groupKind, id, name: namedIn(namespace, groupName) },
      cluster: { id: clusterId, name },
      reason: words,
      details: {
        summary: row.summary,
        unpaused: row.unpaused,
        ...(row.since ? { since: row.since.toISOString() } : {}),
      },
    })
    return true
  })
  if (!told) return
  const { apiVersion, resourceVersion } = row
  const object = {
    apiVersion,
    kind: groupKind,
    metadata: { name: groupName, namespace, uid: groupId, resourceVersion },
  }
  await sendEvent(
    view.client,
    object,
    'DrydockHeld',
    [`${words}.`, pressing(row, level), row.theirs && THEIRS[row.theirs], isOurs(row) && NEXT[row.state]]
      .filter(Boolean)
      .join(' '),
  )
}

/** People with kubectl see nothing else of it. A group that is not paused goes on renewing and replacing; and so does a pool. */
function pressing({ groupKind, unpaused }: Row, level: number): string | null {
  if (LEVELS[level] === 'overdue') return 'That is so long that Drydock puts it before everybody.'
  if (LEVELS[level] !== 'dangerous') return null
  return unpaused || isPool({ kind: groupKind })
    ? 'That is dangerous.'
    : 'That is dangerous: ill machines are not replaced meanwhile, and nothing renews its kubeconfig or a machine whose certificates end.'
}

const THEIRS: Record<TheirPause, string> = {
  group: 'Drydock never takes that pause away: whoever set it does.',
  cluster: 'Drydock never takes that pause away: whoever set it does.',
  both: 'Drydock never takes those pauses away: whoever set them does.',
}
/** Nobody looks at a hold below somebody's own pause of the group before that is gone. */
const isOurs = ({ theirs }: Row): boolean => theirs === null || theirs === 'cluster'
const NEXT: Record<string, string> = {
  waiting: 'It waits in Drydock.',
  rejected: 'It was rejected in Drydock: change it back, or decide anew.',
}
