import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { as, audited, expectHeld, expectReleased, inputFor, latchedCluster, stateOf } from '@/testenv/deciding'
import { heldChange, MD, type Held } from '@/testenv/held'
import { until } from '@/testenv/process'
import { startGate, type Gate } from '@/worker/gate'
import { kubeClientFor } from '../clusters/connection'
import { systemCtx } from '../context'
import { savePolicy } from '../policies/save-policy'
import { gateAnswers } from '../gate/answers'
import { registerGate } from '../gate/register-gate'
import { applyDecision } from './apply'
import { approveChange } from './approve-change'

useTestDatabase()
const at = latchedCluster()
const approver = as('approver')

// Keys and the gate's certificate of this file alone.
const dir = mkdtempSync(join(tmpdir(), 'drydock-test-'))
process.env.DRYDOCK_DATA_DIR = dir
let gate: Gate
beforeAll(async () => {
  gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  await registerGate(systemCtx('test'), { clusterId: at.clusterId, url: gate.url })
  const known = async () => (await gateAnswers(at.clusterId, 'MachineDeployment')).ok
  await until('the managers to ask the gate', known, { ms: 15_000, every: 50 })
})
afterAll(async () => {
  await gate?.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** Of its three machines one may be missing: while all are available, they are updated where they stand. */
async function mayBeMissing(): Promise<Held> {
  const held = await heldChange(at.cluster, at.clusterId, 'MachineDeployment', 3)
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }
  await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { rollout: { strategy } } })
  const inPlace = { counts: { 'in-place': 3 }, created: 0, deleted: 0, headline: 'w.' }
  const outlook = { ...(held.change.outlook as object), inPlace } as Prisma.InputJsonObject
  await db().change.update({ where: { id: held.change.id }, data: { outlook } })
  return held
}

/** Until that is undone one is not available, as the API server tells it, so that none may be missing besides. */
async function oneAway(): Promise<() => void> {
  const client = await kubeClientFor(at.clusterId)
  const { list } = client
  client.list = async (...args) => {
    const page = await list(...args)
    const [first, ...others] = page.items
    return first?.kind === 'Machine' ? { ...page, items: [unavailable(first), ...others] } : page
  }
  return () => void (client.list = list)
}
const unavailable = (machine: KubeObject): KubeObject => {
  const text = JSON.stringify(machine).replace(
    '"type":"Available","status":"True"',
    '"type":"Available","status":"False"',
  )
  return JSON.parse(text) as KubeObject
}

/** Approved in place, and nobody answers. */
async function unanswered(held: Held): Promise<string> {
  const client = await kubeClientFor(at.clusterId)
  const { patch } = client
  client.patch = () => Promise.reject(new KubeUnreachable('connection reset', 'PATCH'))
  const { id, state } = await approve(held).finally(() => void (client.patch = patch))
  expect(state).toBe('applying')
  return id
}
const approve = (held: Held, deletions = 0) => approveChange(approver, { ...inputFor(held, 'in-place'), deletions })

async function again(id: string) {
  await db().decision.update({ where: { id }, data: { claimedUntil: new Date(0) } })
  await applyDecision(id, 'again')
  return db().decision.findUniqueOrThrow({ where: { id } })
}

const ASKED =
  '0 of the 1 approvals that the policy asks for count by now: approve it again. 1 machine would be deleted by now, more than was shown. Nothing was released.'

test('sent in place and not answered, it is tried again only for as many machines that go for spares as were shown', async () => {
  const held = await mayBeMissing()
  const id = await unanswered(held)
  const back = await oneAway()
  try {
    expect(await again(id)).toMatchObject({ state: 'voided', error: ASKED })
    await expectHeld(held)
    expect(await stateOf(held)).toBe('waiting')
    expect((await audited(held)).at(-1)).toBe('decision.failed failed')
    // Who is shown that one goes approves it with that.
    const seen = await approve(held, 1)
    expect(seen).toMatchObject({ state: 'accepted', error: null })
    await expectReleased(held, seen.id)
  } finally {
    back()
  }
})

test('sent in place and not answered, it goes when it is tried again and as many machines are there as were', async () => {
  const held = await mayBeMissing()
  const id = await unanswered(held)
  expect(await again(id)).toMatchObject({ state: 'accepted' })
  await expectReleased(held, id)
})

test('a machine that is away since the last look is counted as soon as it is approved; no word of how many counts for none', async () => {
  const [held, before] = [await mayBeMissing(), await mayBeMissing()]
  const id = await unanswered(before)
  await db().approval.updateMany({ where: { decisionId: id }, data: { deletions: null } })
  const back = await oneAway()
  try {
    expect(await approve(held)).toMatchObject({ state: 'voided', error: ASKED })
    await expectHeld(held)
    expect(await again(id)).toMatchObject({ state: 'voided', error: ASKED })
    await expectHeld(before)
  } finally {
    back()
  }
})

test('what its policy takes away with the surge is not counted: it waits until its group is written so', async () => {
  const held = await mayBeMissing()
  const id = await unanswered(held)
  await savePolicy(as('admin'), { name: 'no-spare', spec: { select: { names: [held.name] }, maxSurge: 0 } })
  const back = await oneAway()
  try {
    const { state, awaitsTime, error } = await again(id)
    expect([state, awaitsTime]).toEqual(['voided', true])
    expect(error).not.toContain('more than was shown')
    await expectHeld(held)
    expect(await db().approval.count({ where: { changeId: held.change.id, endedAt: null } })).toBe(1)
  } finally {
    back()
    await db().rolloutPolicy.deleteMany({ where: { name: 'no-spare' } })
  }
})
