import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import { HELD } from '@/lib/domain/latch/names'
import type { JsonObject } from '@/lib/domain/json'
import { approveChange } from '@/lib/services/changes/approve-change'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { mergePatch } from '@/lib/services/updaters/testing'
import { gatedSandbox } from './gated-sandbox'
import { until } from './process'
import { ctx } from './suites/governing'
import { MD } from './suites/watching'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
useTestDatabase()

let finish = false

const at = gatedSandbox(({ says }) => {
  says.CanUpdateMachineSet = (request) => {
    const of = (slot: string) => valueAt(request, 'desired', slot, 'spec', 'template', 'spec')
    const preKubeadmCommands = valueAt(of('bootstrapConfigTemplate'), 'preKubeadmCommands') ?? null
    const version = valueAt(of('machineSet'), 'version') ?? null
    return {
      machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }),
      bootstrapConfigTemplatePatch: mergePatch({ spec: { template: { spec: { preKubeadmCommands } } } }),
    }
  }
  says.UpdateMachine = (): JsonObject => ({ retryAfterSeconds: finish ? 0 : 1, message: 'at work' })
})

test.each([
  ['replace', 'in-place'],
  ['in-place', 'replace'],
] as const)(
  'approved %s first, and its template edited where it stands: the manager remembers the two sets, and it is not approved %s',
  async (first, then) => {
    const w = await at.g.workload(`w-${first}`, { workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } })
    await at.g.known(w)
    finish = false
    const md = w.machineDeployment
    const ref = valueAt((await at.g.deployment(w)) as never, 'spec', 'template', 'spec', 'bootstrap', 'configRef')
    if (!isObject(ref)) throw new Error('no bootstrap config')
    const templates = { group: String(ref.apiGroup), version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
    const { apiVersion, kind, spec } = await at.cluster.admin.get(templates, String(ref.name), w.namespace)
    const says = (command: string) => ({
      template: { spec: { ...(valueAt(spec as never, 'template', 'spec') as object), preKubeadmCommands: [command] } },
    })
    const copy = { apiVersion, kind, metadata: { name: 'next', namespace: w.namespace }, spec: says('echo one') }
    await at.cluster.admin.create(templates, copy as never, w.namespace)
    await at.cluster.admin.patch(MD, md, w.namespace, 'merge', {
      // What is made by it is not available for long: something is left to be held.
      spec: {
        template: {
          spec: { version: 'v1.34.1', minReadySeconds: 1_000_000, bootstrap: { configRef: { name: 'next' } } },
        },
      },
    })
    const before = await at.g.approvable(w, md, first)
    await at.g.approve(w, md, first)
    // Cluster API has asked, was answered, and remembers that for a day for "old MachineSet => new MachineSet".
    const answered = (changeId: string) => async () =>
      (await db().gateCall.count({ where: { changeId, hook: 'CanUpdateMachineSet', answer: first } })) > 0
    await until('the gate to have answered', answered(before.id), { ms: 20_000, every: 20 })
    await pauseChange(ctx, { changeId: before.id })
    const isHeld = async () => HELD in ((await at.g.deployment(w)).metadata.annotations ?? {})
    await until('it to be held', isHeld, { ms: 20_000, every: 50 })
    finish = true
    // Somebody mends the new template where it stands.
    await at.cluster.admin.patch(templates, 'next', w.namespace, 'merge', { spec: says('echo two') } as never)
    await at.cluster.admin.patch(MD, md, w.namespace, 'merge', {
      spec: { template: { spec: { minReadySeconds: 1 } } },
    } as never)
    const isAnother = async () => (await at.g.changes(w, md))[0]!.id !== before.id
    await until('another change', isAnother, { ms: 40_000, every: 100 })
    const next = await at.g.approvable(w, md, 'replace')
    expect(next.fingerprint).not.toBe(before.fingerprint)
    const decision = approveChange(ctx, { changeId: next.id, fingerprint: next.fingerprint, mode: then })
    await expect(decision).rejects.toThrow('Cluster API remembers that answer')
    expect((await at.g.deployment(w)).metadata.annotations).toHaveProperty([HELD])
  },
)
