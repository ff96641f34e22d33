import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeError } from '@/lib/kubernetes/types'
import { as, expectHeld, expectReleased, failure, inputFor, latchedCluster, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { until } from '@/testenv/process'
import { kubeClientFor } from '../clusters/connection'
import { approveChange } from './approve-change'
import { lockChange } from './lock-change'
import { retryDecision } from './retry-decision'

useTestDatabase()
const at = latchedCluster()
const approver = as('approver')

/** Approved replacing, and the API server said no. */
async function refused(kind: Held['kind']): Promise<{ held: Held; decisionId: string }> {
  const held = await at.held(kind)
  const client = await kubeClientFor(at.clusterId)
  const { patch } = client
  client.patch = () => Promise.reject(new KubeError(403, { kind: 'Status', code: 403, message: 'no' }, 'PATCH'))
  const wish = { ...inputFor(held), typedName: held.name, deletions: 1 }
  const { id, state } = await approveChange(approver, wish).finally(() => void (client.patch = patch))
  expect(state).toBe('failed')
  return { held, decisionId: id }
}

test('who tries a decision on a control plane again types its name, as whoever approves it does', async () => {
  const { held, decisionId } = await refused('KubeadmControlPlane')
  for (const typedName of [undefined, 'another']) {
    const { code, more } = await failure(retryDecision(approver, { decisionId, typedName }))
    expect([code, more.fields?.map(({ field }) => field)]).toEqual(['invalid', ['typedName']])
  }
  await expectHeld(held)
  expect(await retryDecision(approver, { decisionId, typedName: held.name })).toMatchObject({ state: 'accepted' })
  await expectReleased(held, decisionId)
})

test('also where it fails only while whoever tries it again is waited for', async () => {
  const { held, decisionId } = await refused('KubeadmControlPlane')
  const state = (of: string) => db().decision.update({ where: { id: decisionId }, data: { state: of } })
  await state('applying')
  const again = await db().$transaction(
    async (tx) => {
      await lockChange(tx, held.change.id)
      const tried = failure(retryDecision(approver, { decisionId }))
      const waits = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      const blocked = async () => (await db().$queryRawUnsafe<{ n: number }[]>(waits))[0]!.n > 0
      await until('it to wait for the change', blocked, { ms: 20_000, every: 20 })
      await tx.decision.update({ where: { id: decisionId }, data: { state: 'failed' } })
      return { tried }
    },
    { timeout: 30_000 },
  )
  expect((await again.tried).code).toBe('invalid')
  await expectHeld(held)
})

test('tried again, a control plane is replaced only for as many machines that are deleted as were shown', async () => {
  const { held, decisionId } = await refused('KubeadmControlPlane')
  await db().approval.updateMany({ where: { decisionId }, data: { deletions: 0 } })
  const again = await retryDecision(approver, { decisionId, typedName: held.name })
  expect(again).toMatchObject({
    state: 'voided',
    error:
      '0 of the 1 approvals that the policy asks for count by now: approve it again. 1 machine would be deleted by now, more than was shown. Nothing was released.',
  })
  await expectHeld(held)
  expect(await stateOf(held)).toBe('waiting')
})

test('tried again, workers are replaced with those that came by scaling since', async () => {
  const { held, decisionId } = await refused('MachineDeployment')
  await db().approval.updateMany({ where: { decisionId }, data: { deletions: 0 } })
  expect(await retryDecision(approver, { decisionId })).toMatchObject({ state: 'accepted' })
  await expectReleased(held, decisionId)
})

test('tried again, it asks the updaters that are told by then', async () => {
  const { held, decisionId } = await refused('MachineDeployment')
  const { changeSet } = await db().change.findUniqueOrThrow({ where: { id: held.change.id } })
  const { pairs, ...rest } = changeSet as { pairs: { changes: object[] }[] }
  const told = pairs.map((pair) => ({
    ...pair,
    changes: pair.changes.map((field) => ({ ...field, coveredBy: 'later' })),
  }))
  await db().change.update({ where: { id: held.change.id }, data: { changeSet: { ...rest, pairs: told } as object } })
  await retryDecision(approver, { decisionId })
  const { pairs: kept } = await db().decision.findUniqueOrThrow({ where: { id: decisionId } })
  expect(JSON.stringify(kept)).toContain('"coveredBy":"later"')
})

test('what a sent decision approved stays what it approved, whoever tries it again after an edit', async () => {
  const held = await at.held('MachineDeployment')
  const withDigest = async (digest: string) => {
    const { changeSet } = await db().change.findUniqueOrThrow({ where: { id: held.change.id } })
    const { pairs, ...rest } = changeSet as { pairs: object[] }
    const config = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', digest }
    const all = pairs.map((pair) => ({ ...pair, config }))
    await db().change.update({ where: { id: held.change.id }, data: { changeSet: { ...rest, pairs: all } as object } })
  }
  await withDigest('shown')
  const client = await kubeClientFor(at.clusterId)
  const { patch } = client
  client.patch = () =>
    Promise.reject(new KubeError(500, { kind: 'Status', code: 500, message: 'etcd: request timed out' }, 'PATCH'))
  // (The sandbox's own config is not 'shown': the last look is passed over here, only the failed release matters.)
  const { id: decisionId } = await approveChange(approver, { ...inputFor(held), deletions: 9 }).finally(
    () => void (client.patch = patch),
  )
  const sent = { state: 'failed', sentAt: new Date(), pairs: undefined as never }
  await db().decision.update({ where: { id: decisionId }, data: { state: sent.state, sentAt: sent.sentAt } })
  await db().change.update({ where: { id: held.change.id }, data: { state: 'waiting' } })
  const kept = async () => JSON.stringify((await db().decision.findUniqueOrThrow({ where: { id: decisionId } })).pairs)
  expect(await kept()).toContain('"digest":"shown"')
  // The template is edited; the planner writes the change anew, and ends the approvals (worker/planner/go-on.ts).
  await withDigest('edited, approved by nobody')
  await db().approval.updateMany({
    where: { changeId: held.change.id, endedAt: null },
    data: { endedAt: new Date(), endedWhy: 'config' },
  })
  expect((await failure(retryDecision(approver, { decisionId }))).message).toContain('edited since this was decided')
  expect(await kept()).toContain('"digest":"shown"')
})
