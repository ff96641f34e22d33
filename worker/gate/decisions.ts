import { setTimeout } from 'node:timers/promises'
import { db } from '@/lib/db/client'
import type { Change, Decision } from '@/lib/db/generated/client'
import { SENT } from '@/lib/services/changes/answered'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { rulesFor } from '@/lib/services/policies/rules-for'
import { anyTimes, closedWords, isHalted, timingOf } from '@/lib/services/policies/timing'
import { Hold } from './constants'
import type { Subject } from './subject'
import { OPEN } from '@/lib/services/changes/states'

/**
 * States in which a decision speaks: once its release is known to be stored. Before that the object may be another one by
 * now, or the managers may not ask at all; and what they are told they remember, whatever becomes of the decision.
 */
const LIVE = ['accepted', 'seen']

export interface Decided {
  change: Change
  decision: Decision
}

const newest = { orderBy: { recordedAt: 'desc' as const }, take: 1, where: { state: { in: [...LIVE, 'applying'] } } }
/** The release makes the managers ask at once, and whoever is told to wait comes back in minutes: it is known in moments. */
const KNOWN_MS = 3_000

/**
 * The live decision for exactly this change of this group of this connection; everything else holds, with a short fixed
 * reason.
 */
export async function decidedFor(subject: Subject, fingerprint: string): Promise<Decided> {
  for (const until = Date.now() + KNOWN_MS; ; await setTimeout(100)) {
    const decided = await look(subject, fingerprint)
    if (decided.decision.state !== 'applying') return decided
    const { change, decision } = decided
    if (decision.sentAt && Date.now() < until) continue
    const about = { changeId: change.id, group: `${subject.namespace}/${subject.name}`, machine: subject.machine }
    throw new Hold('its release is not known to be stored yet', about)
  }
}

async function look(subject: Subject, fingerprint: string): Promise<Decided> {
  const about = { group: `${subject.namespace}/${subject.name}`, machine: subject.machine }
  const changes = await db().change.findMany({
    where: { clusterId: subject.clusterId, groupId: subject.groupId, state: { in: OPEN } },
    orderBy: { detectedAt: 'desc' },
    include: { decisions: newest },
  })
  const change = changes.find((row) => changeSetOf(row).pairs.some((pair) => pair.fingerprint === fingerprint))
  if (!change)
    throw new Hold('this change has not been seen by Drydock yet, or is another one than was approved', about)
  const withChange = { ...about, changeId: change.id }
  const decision = change.decisions[0]
  if (!decision) throw new Hold('waiting for approval', withChange)
  if (decision.mode === 'reject') throw new Hold('rejected', withChange)
  if (decision.expiresAt && decision.expiresAt < new Date()) throw new Hold('the approval has expired', withChange)
  return { change, decision }
}

/** The second line behind the latch: nothing begins outside its windows, or in a freeze. */
export async function requireInTime(change: Change, about: Hold['about']): Promise<void> {
  if (!(await anyTimes(db(), change.clusterId))) return
  const timing = timingOf(isHalted(change) ? {} : await rulesFor(db(), change), change)
  if (!timing.open) throw new Hold(closedWords(timing), about)
}

/**
 * Changes of a group that were approved in place, newest first: also those that a newer one superseded, because a
 * machine that has begun goes on to its end.
 */
export async function approvedInPlace(subject: Subject): Promise<Change[]> {
  const approved = { mode: 'in-place', OR: [{ state: { in: LIVE } }, SENT] }
  return db().change.findMany({
    where: { clusterId: subject.clusterId, groupId: subject.groupId, decisions: { some: approved } },
    orderBy: { detectedAt: 'desc' },
    take: 10,
  })
}
