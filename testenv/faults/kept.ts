import { db } from '@/lib/db/client'
import { verifyAudit } from '@/lib/services/audit/verify-audit'
import { expect } from 'vitest'
import type { KubeClient } from '@/lib/kubernetes/types'
import { ctx } from '../suites/governing'

export const decisionOf = (changeId: string) => db().decision.findFirstOrThrow({ where: { changeId } })

/** Its claim runs out by itself; nobody has to wait for that here. */
export const endClaims = (changeId: string) =>
  db().decision.updateMany({ where: { changeId, state: 'applying' }, data: { claimedUntil: new Date() } })

/** The decision had its effect, said so once in the audit and once on the object, and the audit fits. */
export async function expectAppliedOnce(admin: KubeClient, namespace: string, changeId: string, to: string) {
  expect(await decisionOf(changeId)).toMatchObject({ state: 'seen', error: null })
  expect(await db().auditEvent.count({ where: { action: 'decision.accepted', targetId: changeId } })).toBe(1)
  const events = await admin.list({ group: '', version: 'v1', plural: 'events' }, namespace)
  const released = events.items.filter((e) => JSON.stringify(e).includes(`→ ${to}: approved in place`))
  expect(released).toHaveLength(1)
  expect(await verifyAudit(ctx)).toMatchObject({ ok: true })
}
