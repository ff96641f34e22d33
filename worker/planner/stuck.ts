import type { KubeObject } from '@/lib/kubernetes/types'
import { behindWords, isBehind, isStill } from '@/lib/domain/changes/behind'
import type { RolloutStrategy } from '@/lib/domain/rollout'
import { noRoomOf, noRoomWords } from '@/lib/domain/rollout/no-room'
import { conditionsOf, prose, sentence } from '@/lib/providers/cluster-api/conditions'
import { errorWords, saidDone, type MachineNow, type Progress } from './progress'

/** Without any movement for this long, a rollout is called stuck. */
export const STILL_MS = 20 * 60_000
/** Where a controller says itself that it does not go on. */
export const BLOCKED_MS = 60_000

type Row = Pick<Progress, 'state' | 'message' | 'updatersDone'> &
  Partial<Pick<Progress, 'predicted' | 'startedAt' | 'deletingAt' | 'failedAt' | 'wentBy'>>

/** Long enough without a movement for what keeps it to be looked at. */
export const isBlocked = (lastMoved: number, now: Date): boolean => now.getTime() - lastMoved > BLOCKED_MS

interface Seen {
  machines: MachineNow[]
  rows: ReadonlyMap<string, Row>
  /** What a controller says keeps it from going on. */
  blocked: string | null
  lastMoved: number
  now: Date
  /** It was approved so: whatever was foretold before, the rollout deletes. */
  replacing?: boolean
  /** All are there, and as they should be: nothing has to move. */
  over?: boolean
  /** How it rolls, and how many it wants; null: that says nothing of it. */
  how?: { strategy: RolloutStrategy; replicas: number } | null
  /** Somebody paused its whole Cluster: nothing of it goes on, and that is no fault of its own. */
  frozen?: boolean
  /** What counted as failed by then was accepted. */
  forgiven?: Date | null
}

/** Why a rollout does not go on, in one sentence with the machine and its condition's words; null: it goes on. */
export function stuckOn({
  machines,
  rows,
  blocked,
  lastMoved,
  now,
  replacing = false,
  over = false,
  frozen = false,
  how = null,
  forgiven = null,
}: Seen): string | null {
  const isForgiven = ({ id }: MachineNow) => forgiven !== null && (rows.get(id)?.failedAt ?? Infinity) <= forgiven
  const bad = machines.find(
    (m) =>
      m.error !== null &&
      !(over && isForgiven(m)) &&
      rows.get(m.id)?.wentBy !== 'before' &&
      (replacing || !isDeletedByOthers(m, rows.get(m.id))),
  )
  if (bad) return sentence(`${bad.name}: ${rows.get(bad.id)?.message ?? errorWords(bad)}`)
  if (frozen) return null
  const behind = machines.find((m) => rows.get(m.id)?.state === 'updating' && isBehind(m) && isStill(m, now.getTime()))
  if (behind) return sentence(`${behind.name}: ${behindWords(behind, saidDone(rows.get(behind.id)))}`)
  // Its update waits for a call of Cluster API's that gets through: the next one may.
  const uncalled = machines.find(
    (m) => m.updating && m.troubleWords !== null && now.getTime() - m.changedAt.getTime() > BLOCKED_MS,
  )
  if (uncalled) return sentence(`${uncalled.name}: ${uncalled.troubleWords}`)
  const still = now.getTime() - lastMoved
  if (blocked && isBlocked(lastMoved, now)) return sentence(blocked)
  const full = over || !how || !isBlocked(lastMoved, now) ? null : noRoomOf(machines, how.strategy, how.replicas)
  // What is not available may be on its way: whatever counts as failed is not.
  const failed = ({ id, ready }: MachineNow) => ready || !!rows.get(id)?.failedAt
  if (full && (still > STILL_MS || machines.every(failed))) return sentence(noRoomWords(full))
  if (over || still <= STILL_MS) return null
  const minutes = Math.floor(still / 60_000)
  const moving = machines.find((m) => m.deleting || m.updating || m.state === 'provisioning' || m.state === 'not-ready')
  const waiting = moving ?? machines.find((m) => m.upToDate === false)
  return sentence(
    `No machine has moved for ${minutes} minutes${waiting ? `; ${waiting.name}: ${waiting.sentence}` : ''}`,
  )
}

/** It was to be updated where it stands, and nothing but its deletion ever began with it: no part of the rollout. */
const isDeletedByOthers = ({ deleting }: MachineNow, row: Row | undefined): boolean =>
  deleting && row?.predicted === 'in-place' && !!row.deletingAt && (!row.startedAt || row.deletingAt <= row.startedAt)

const BLOCKS = /\bblocked\b|preflight check/i

/** A group's or its MachineSets' own words for being kept from creating or deleting machines. */
export function blockedBy(objects: KubeObject[]): string | null {
  for (const object of objects)
    for (const { type, message } of conditionsOf(object))
      if ((type === 'ScalingUp' || type === 'ScalingDown' || type === 'RollingOut') && BLOCKS.test(message))
        return `${object.kind} ${object.metadata.name}: ${prose(message)}`
  return null
}
