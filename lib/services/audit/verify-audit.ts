import * as z from 'zod'
import type { AuditEvent } from '@/lib/db/generated/client'
import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { chainHash, recordAudit, sorted } from './record'
import { walkAudit } from './walk'

export interface AuditVerdict {
  ok: boolean
  rows: number
  /** Hash of the newest row: keep it elsewhere, and a cut-off end shows, too. */
  head: string
  broken?: { id: string; at: string; action: string; problem: string }
  /** No row has the hash that was kept. */
  lost?: boolean
}

const Input = z
  .object({
    kept: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'A hash is 64 characters of 0 to 9 and a to f.')
      .optional(),
  })
  .default({})

/**
 * Walks the whole chain and names the first row that does not fit, or says that the hash that somebody kept is in none.
 * That it was looked at is recorded, too.
 */
export async function verifyAudit(ctx: Ctx, input?: unknown): Promise<AuditVerdict> {
  requirePermission(ctx, 'audit:verify')
  const { kept } = parseInput(Input, input)
  const verdict = await walk(kept)
  await db().$transaction((tx) =>
    recordAudit(tx, ctx, {
      action: 'audit.verified',
      target: { kind: 'Audit', id: 'audit', name: 'audit' },
      result: verdict.ok ? 'ok' : 'failed',
      details: {
        rows: verdict.rows,
        head: verdict.head,
        ...(verdict.broken ? { broken: verdict.broken.id } : {}),
        ...(verdict.lost ? { lost: kept } : {}),
      },
    }),
  )
  return verdict
}

async function walk(kept: string | undefined): Promise<AuditVerdict> {
  let prevHash = ''
  let rows = 0
  let seen = kept === undefined
  for await (const batch of walkAudit()) {
    for (const row of batch) {
      const problem = problemOf(row, prevHash)
      if (problem) {
        const broken = { id: String(row.id), at: row.at.toISOString(), action: row.action, problem }
        return { ok: false, rows, head: prevHash, broken }
      }
      prevHash = row.hash
      seen ||= row.hash === kept
      rows++
    }
  }
  return { ok: seen, rows, head: prevHash, ...(seen ? {} : { lost: true }) }
}

function problemOf(row: AuditEvent, prevHash: string): string | undefined {
  if (row.prevHash !== prevHash) return 'A row before it is missing, was added or was changed.'
  const hash = chainHash(row.prevHash, {
    at: row.at.toISOString(),
    actorKind: row.actorKind,
    actorId: row.actorId,
    actorName: row.actorName,
    action: row.action,
    targetKind: row.targetKind,
    targetId: row.targetId,
    targetName: row.targetName,
    clusterId: row.clusterId,
    clusterName: row.clusterName,
    reason: row.reason,
    result: row.result,
    answer: row.answer,
    details: JSON.stringify(sorted(row.details)),
  })
  return hash === row.hash ? undefined : 'It was changed after it was written.'
}
