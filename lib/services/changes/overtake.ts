import { namedIn } from '@/lib/kubernetes/paths'
import { db } from '@/lib/db/client'
import type { Change, Decision, ManagementCluster, Prisma } from '@/lib/db/generated/client'
import { ALL_LATCHED } from '@/lib/domain/latch/table'
import { KubeError, KubeUnreachable, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { log } from '@/lib/log'
import { recordAudit } from '../audit/record'
import { kubeClientFor } from '../clusters/connection'
import type { Ctx } from '../context'
import { serverWords } from '../server-words'
import { callsOf, type DecisionCall } from './change-row'
import { isMomentary } from './momentary'
import { callFor, DECISION, groupResource, VOID } from './patch-for'
import { MOST_ATTEMPTS, TRIES } from './tries'

export type DecisionRow = Decision & { change: Change & { cluster: ManagementCluster } }

/** It may have been stored: not a failure yet. The claim runs out, and whoever comes next reads the object first. */
export class AnswerLost extends Error {
  constructor(target: string, cause: unknown) {
    super(`the answer to a patch of ${target} was lost`, { cause })
  }
}

export async function apiVersionOf(change: Pick<Change, 'groupId' | 'groupKind'>): Promise<string> {
  const group = await db().group.findUnique({ where: { id: change.groupId }, select: { apiVersion: true } })
  if (group) return group.apiVersion
  const { group: api, served } = ALL_LATCHED.find(({ kind }) => kind === change.groupKind) ?? ALL_LATCHED[0]!
  return `${api}/${served ?? 'v1beta2'}`
}

export const noAnswer = (error: KubeUnreachable): string => `no answer: ${error.message}`

/** The object may not have been written over yet, and asking again may help. */
const isUnsure = (error: KubeError | KubeUnreachable): boolean =>
  error instanceof KubeUnreachable || error.code >= 500 || isMomentary(error)

/**
 * What an earlier attempt sent may still be on its way, and be stored after the decision is void: then nobody would hold what it
 * lets go. Written over, that patch is too old. False where the object was written meanwhile: it is read again.
 */
export async function isOvertaken(
  row: DecisionRow,
  object: KubeObject,
  client: KubeClient,
  calls: DecisionCall[],
): Promise<boolean> {
  const { name, namespace, uid, resourceVersion } = object.metadata
  if (row.sentAt === null || uid !== row.change.groupId) return true
  const resource = groupResource(row.change.groupKind, object.apiVersion)
  const body = { metadata: { resourceVersion, annotations: { [VOID]: `${row.id} ${row.attempts}` } } }
  const call = { ...callFor(resource, object, body), at: new Date().toISOString() }
  try {
    const stored = await client.patch(resource, name, namespace, 'merge', body)
    calls.push({ ...call, code: 200, answer: `stored as resourceVersion ${stored.metadata.resourceVersion}` })
    return true
  } catch (error) {
    if (error instanceof KubeUnreachable) calls.push({ ...call, answer: noAnswer(error) })
    else if (error instanceof KubeError) calls.push({ ...call, code: error.code, answer: serverWords(error) })
    else throw error
    // After that it is void all the same: nobody has to retry what is not wanted any more.
    if (isUnsure(error) && row.attempts < MOST_ATTEMPTS)
      throw new AnswerLost(`${row.change.groupKind} ${namespace}/${name}`, error)
    if (error instanceof KubeUnreachable) return true
    // Should the release come through after all, the planner puts the hold back.
    return error.code !== 409
  }
}

/**
 * After a decision that was sent was taken back: written over, as well as that can be done now, and on record. What was stored
 * already, and what comes through all the same, the planner holds again (worker/planner/adopt.ts).
 */
export async function overtakeVoid(ctx: Ctx, decisionId: string): Promise<void> {
  try {
    const row = await db().decision.findUniqueOrThrow({
      where: { id: decisionId },
      include: { change: { include: { cluster: true } } },
    })
    const calls: DecisionCall[] = []
    const unread = await writeOver(row, calls).catch((error: unknown) => {
      failed(decisionId, error)
      return unreadWords(error)
    })
    if (calls.length > 0 || unread) await recordOvertaken(ctx, row, calls, unread ?? null)
  } catch (error) {
    failed(decisionId, error)
  }
}

const failed = (decisionId: string, error: unknown): void =>
  log().warn({ err: error, decisionId }, 'a release that was taken back could not be written over')

/** That it was to be written over is on record all the same. Null: what was asked says so. */
const unreadWords = (error: unknown): string | null =>
  error instanceof KubeError || error instanceof KubeUnreachable
    ? `not written over, for its group could not be read: ${error.message}`
    : null

async function writeOver(row: DecisionRow, calls: DecisionCall[]): Promise<void> {
  const { change } = row
  const client = await kubeClientFor(change.clusterId)
  const resource = groupResource(change.groupKind, await apiVersionOf(change))
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const object = await client.get(resource, change.groupName, change.namespace)
    if (object.metadata.annotations?.[DECISION] === row.id) return
    if (await isOvertaken(row, object, client, calls)) return
  }
}

async function recordOvertaken(ctx: Ctx, row: DecisionRow, calls: DecisionCall[], unread: string | null) {
  const { change } = row
  const all = [...callsOf(row), ...calls] as unknown as Prisma.InputJsonValue
  const { code, answer = null } = calls.at(-1) ?? {}
  const isFailed = unread !== null || code === undefined || code === 429 || code >= 500
  await db().$transaction(async (tx) => {
    await tx.decision.updateMany({ where: { id: row.id, state: 'voided' }, data: { calls: all } })
    await recordAudit(tx, ctx, {
      action: 'decision.overtaken',
      target: { kind: change.groupKind, id: change.id, name: namedIn(change.namespace, change.groupName) },
      cluster: { id: change.clusterId, name: change.cluster.name },
      result: isFailed ? 'failed' : code === 200 ? 'ok' : 'refused',
      answer: unread ?? answer,
      details: { decision: row.id, mode: row.mode },
    })
  })
}
