import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { db } from '@/lib/db/client'
import { Listening } from '@/lib/db/listen'
import type { Announcement } from '@/lib/db/notify'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx, type Ctx } from '../context'
import { exportAudit } from './export-audit'
import { listAudit } from './list-audit'
import { recordAudit } from './record'
import { verifyAudit } from './verify-audit'

useTestDatabase()
const admin = systemCtx('test')
const write = (n: number, more: object = {}) =>
  db().$transaction((tx) =>
    recordAudit(tx, admin, {
      action: 'change.approved',
      target: { kind: 'Change', id: String(n), name: `workers-${n}` },
      details: { z: 1, a: { y: [1, { q: 2, b: null }] } },
      ...more,
    }),
  )

/** What only somebody with the database's own rights can do: past the trigger. */
async function tamper(sql: string): Promise<void> {
  await db().$executeRawUnsafe('ALTER TABLE audit_event DISABLE TRIGGER ALL')
  await db().$executeRawUnsafe(sql)
  await db().$executeRawUnsafe('ALTER TABLE audit_event ENABLE TRIGGER ALL')
}

describe('the audit', () => {
  it('is one chain also when many write at once, pages by key, and finds words', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => write(n, n === 3 ? { reason: 'Night shift 100%_' } : {})))
    expect(await verifyAudit(admin)).toMatchObject({ ok: true, rows: 12 })
    const first = await listAudit(admin, { limit: 5, action: 'change.' })
    const second = await listAudit(admin, { limit: 50, action: 'change.', cursor: first.next! })
    expect([...first.rows, ...second.rows].map((r) => r.target.id).sort()).toHaveLength(12)
    expect(second.next).toBeNull()
    expect((await listAudit(admin, { q: 'night 100%_' })).rows.map((r) => r.target.id)).toEqual(['3'])
    await expect(listAudit(admin, { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid' })
    const lines: string[] = []
    for await (const piece of await exportAudit(admin)) lines.push(...piece.trim().split('\n'))
    expect(lines.map((l) => (JSON.parse(l) as { action: string }).action).at(-1)).toBe('audit.exported')
  })

  it('shows beside a decision what became of it, and leaves the event as it was written', async () => {
    const cluster = await db().managementCluster.create({ data: { name: 'east', server: 'https://127.0.0.1:1' } })
    const change = await db().change.create({
      data: {
        ...{ clusterId: cluster.id, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'payments' },
        ...{ groupName: 'workers', workloadCluster: 'payments-prod', fingerprint: 'a', state: 'superseded' },
        ...{ summary: 'v1 → v2', changeSet: {}, outlook: {}, heldBy: 'latch', resourceVersion: '1', machines: 1 },
      },
    })
    const by = { changeId: change.id, fingerprint: 'a', actorId: 'a', actorName: 'Ada' }
    const { id } = await db().decision.create({ data: { ...by, mode: 'in-place', state: 'voided' } })
    const target = { kind: 'MachineDeployment', id: change.id, name: 'payments/workers' }
    await write(0, { target, details: { decision: id, mode: 'in-place' } })
    await write(0, { target, details: { decision: randomUUID() } })
    const { rows, known } = await listAudit(admin, { limit: 3 })
    const [unknown, approved, other] = rows.map((row) => known[row.id])
    expect(approved).toMatchObject({
      summary: 'v1 → v2',
      workloadCluster: 'payments-prod',
      decision: {
        id,
        state: 'voided',
        sentAt: null,
        change: { state: 'superseded', newestDecision: id, ended: 'deleted' },
      },
    })
    expect(unknown).toMatchObject({ summary: 'v1 → v2', decision: null })
    expect(other).toBeUndefined()
    expect(rows[1]!.details).toEqual({ decision: id, mode: 'in-place' })
    expect(await verifyAudit(admin)).toMatchObject({ ok: true })
  })

  it('shows beside an approval that was given what became of it, by which nothing went', async () => {
    const cluster = await db().managementCluster.create({ data: { name: 'west', server: 'https://127.0.0.1:1' } })
    const change = await db().change.create({
      data: {
        ...{ clusterId: cluster.id, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'payments' },
        ...{ groupName: 'workers', workloadCluster: 'payments-prod', fingerprint: 'a', state: 'waiting' },
        ...{ summary: 'v1 → v2', changeSet: {}, outlook: {}, heldBy: 'latch', resourceVersion: '1', machines: 1 },
      },
    })
    const by = { changeId: change.id, fingerprint: 'a', actorId: admin.actor.id, actorName: 'Ada', mode: 'replace' }
    const { id } = await db().approval.create({ data: by })
    const target = { kind: 'MachineDeployment', id: change.id, name: 'payments/workers' }
    await write(0, { action: 'approval.given', target, details: { mode: 'replace' } })
    const fell = async () => {
      const { rows, known } = await listAudit(admin, { limit: 1 })
      return known[rows[0]!.id]?.fell
    }
    expect(await fell()).toBeNull()
    await db().approval.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } })
    expect(await fell()).toEqual({ fate: 'expired', change: { state: 'waiting', ended: null } })
  })

  it('names the first row that was changed, and the one after a row that was taken out', async () => {
    const id = (await db().auditEvent.findFirstOrThrow({ where: { targetId: '3' } })).id
    await tamper(`UPDATE audit_event SET details = '{"z":2}' WHERE id = ${id}`)
    expect((await verifyAudit(admin)).broken).toMatchObject({
      id: String(id),
      problem: 'It was changed after it was written.',
    })
    await tamper(`DELETE FROM audit_event WHERE id = ${id}`)
    expect((await verifyAudit(admin)).broken?.problem).toMatch(/missing/)
  })

  it('misses the hash that somebody kept where the end was cut off, though every row that is left fits', async () => {
    await tamper('TRUNCATE audit_event')
    await write(1)
    await write(2)
    const { head: kept } = await verifyAudit(admin)
    await write(3)
    expect(await verifyAudit(admin, { kept })).toMatchObject({ ok: true, rows: 4 })
    await tamper(
      `DELETE FROM audit_event WHERE hash = '${kept}' OR id > (SELECT id FROM audit_event WHERE hash = '${kept}')`,
    )
    expect(await verifyAudit(admin)).toMatchObject({ ok: true, rows: 1 })
    expect(await verifyAudit(admin, { kept })).toMatchObject({ ok: false, lost: true })
    await expect(verifyAudit(admin, { kept: 'x' })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('any text verifies, wherever it stands: halves of characters and NUL, too', async () => {
    await tamper('TRUNCATE audit_event')
    const any = fc.string({ unit: 'binary', maxLength: 12 })
    const odd = fc.oneof(any, fc.constantFrom('\ud800', 'a\0b', '\udfff\ud83d', '\ud83d\ude00'))
    const details = fc.dictionary(
      fc.oneof(odd, fc.constantFrom('__proto__', 'constructor', 'toJSON')),
      fc.oneof(odd, fc.array(odd), fc.dictionary(odd, odd), fc.double(), fc.constant(null)),
    )
    await fc.assert(
      fc.asyncProperty(odd, odd, details, async (one, two, more) => {
        await write(1, {
          ...{ reason: one, answer: two, details: more },
          ...{ target: { kind: 'Change', id: two, name: one }, cluster: { id: crypto.randomUUID(), name: two } },
        })
      }),
      { numRuns: 60 },
    )
    expect(await verifyAudit(admin)).toMatchObject({ ok: true, rows: 60 })
  })

  it('tells the pages of every event once it is there', async () => {
    const heard: Announcement[] = []
    const listening = new Listening()
    const stop = listening.add((h) => h.kind === 'announcement' && heard.push(h.message))
    await expect.poll(() => listening.connected, { timeout: 10_000 }).toBe(true)
    const cluster = { id: '7a1f0a5e-6a54-4a6e-8d0c-3f1f0f8f2b11', name: 'mc' }
    const undone = db().$transaction(async (tx) => {
      await recordAudit(tx, admin, { action: 'x', target: { kind: 'X', id: 'x', name: 'x' } })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await db().$transaction((tx) =>
      recordAudit(tx, admin, { action: 'x', target: { kind: 'X', id: 'x', name: 'x' }, cluster }),
    )
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual([{ topic: 'activity', cluster: cluster.id }])
    stop()
  })

  it('is verified by administrators only', async () => {
    const ctx: Ctx = { actor: { kind: 'user', id: 'v', name: 'v', role: 'approver' } }
    await expect(verifyAudit(ctx)).rejects.toMatchObject({ code: 'forbidden' })
  })
})
