import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { LEVELS, levelOf } from '@/lib/domain/holds'
import { ageWords } from '@/lib/domain/holds/age'
import { recordAudit } from '@/lib/services/audit/record'
import { sendEvent } from '@/lib/services/changes/events'
import { HELD_SINCE, IS_HELD } from '@/lib/services/changes/held-for'
import { systemCtx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { rulesForAll, type Governed } from '@/lib/services/policies/rules-for'
import { holds } from '../metrics'
import type { ClusterView } from '../types'
import { owned } from './common'

interface Row extends Governed {
  id: string
  groupId: string
  level: number
  summary: string
  /** Goes by itself when its time comes. */
  goes: boolean
  since: Date
  apiVersion: string
  resourceVersion: string
}

const HELD = `
SELECT c.id, c.cluster_id AS "clusterId", c.group_id AS "groupId", c.group_kind AS "groupKind", c.group_name AS "groupName",
  c.namespace, c.workload_cluster AS "workloadCluster", c.summary, c.hold_level AS level,
  c.due_mode IS NOT NULL AND c.paused_at IS NULL AND c.stopped_at IS NULL AS goes,
  ${HELD_SINCE} AS since, g.api_version AS "apiVersion", g.resource_version AS "resourceVersion"
FROM change c JOIN machine_group g ON g.id = c.group_id AND g.cluster_id = c.cluster_id
WHERE c.cluster_id = $1::uuid AND ${IS_HELD} ORDER BY c.id`

/** What is not held any more, or over, is not old either. */
const FRESH = `
UPDATE change c SET hold_level = 0 WHERE c.cluster_id = $1::uuid AND c.hold_level > 0
  AND NOT EXISTS (SELECT 1 FROM machine_group g WHERE g.id = c.group_id AND g.cluster_id = c.cluster_id AND ${IS_HELD})
RETURNING c.id`

/** Of thousands that become old at once, so many in a round. */
const AT_ONCE = 200

/** Says of each held change how pressing its age is by its policies; what becomes more so is recorded, and said on the object. */
export async function ageHolds(view: ClusterView, stopped: () => boolean = () => false): Promise<void> {
  const { clusterId, name } = view
  const young = await db().$queryRawUnsafe<{ id: string }[]>(FRESH, clusterId)
  if (young.length > 0) await announce(db(), { topic: 'changes', cluster: clusterId, ids: young.map(({ id }) => id) })
  const held = await db().$queryRawUnsafe<Row[]>(HELD, clusterId)
  const rules = await rulesForAll(db(), held)
  const levels = held.map((row, i) => {
    const of = rules[i]!
    // Where nobody knows what its policies say, it stays what it was.
    if (of instanceof ServiceError) return row.level
    const values = {
      ...{ remindAfter: of.remindAfter.value, escalateAfter: of.escalateAfter.value, holdLimit: of.holdLimit.value },
    }
    const level = levelOf(Date.now() - row.since.getTime(), row.groupKind, values)
    // What goes by itself asks nobody for anything; that a control plane stands still is dangerous all the same.
    return row.goes && level !== 'dangerous' ? 0 : LEVELS.indexOf(level)
  })
  for (const [i, level] of LEVELS.entries())
    holds.set({ cluster: name, age: level }, levels.filter((one) => one === i).length)
  const changed = held.flatMap((row, i) => (levels[i] === row.level ? [] : [{ row, level: levels[i]! }]))
  for (const { row, level } of changed.slice(0, AT_ONCE)) {
    if (stopped()) return
    await become(view, row, level)
  }
}

const SAYS = ['', 'hold.recalled', 'hold.put-before-everybody', 'hold.dangerous']

async function become(view: ClusterView, row: Row, level: number): Promise<void> {
  const { clusterId, name, fence } = view
  const { id, groupKind, groupName, namespace } = row
  const words = `${row.summary} is held for ${ageWords(Date.now() - row.since.getTime())}`
  const rises = level > row.level
  const written = await db().$transaction(async (tx) => {
    await owned(tx, { clusterId, fence })
    const { count } = await tx.change.updateMany({ where: { id, holdLevel: row.level }, data: { holdLevel: level } })
    if (count === 0) return false
    await announce(tx, { topic: 'changes', cluster: clusterId, ids: [id] })
    if (rises)
      await recordAudit(tx, systemCtx('holds'), {
        action: SAYS[level]!,
        target: { kind: groupKind, id, name: `${namespace}/${groupName}` },
        cluster: { id: clusterId, name },
        reason: words,
        details: { summary: row.summary, since: row.since.toISOString() },
      })
    return true
  })
  if (!written || !rises) return
  const { groupId: uid, apiVersion, resourceVersion } = row
  const object = { apiVersion, kind: groupKind, metadata: { name: groupName, namespace, uid, resourceVersion } }
  await sendEvent(view.client, object, 'DrydockHeld', `${words}: somebody has to decide in Drydock.`)
}
