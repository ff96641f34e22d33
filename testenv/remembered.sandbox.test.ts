import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { HELD } from '@/lib/domain/latch/names'
import { mergePatch } from '@/lib/services/updaters/testing'
import { BY_MEMORY } from '@/worker/planner/remembered'
import { gatedSandbox } from './gated-sandbox'
import { until } from './process'
import { isControlPlane, versionOf } from './suites/governing'

vi.setConfig({ testTimeout: 200_000, hookTimeout: 120_000 })
useTestDatabase()

let finish = false
const at = gatedSandbox(({ says }) => {
  says.CanUpdateMachineSet = (request) => {
    const version = valueAt(valueAt(request, 'desired', 'machineSet', 'spec', 'template', 'spec'), 'version') ?? null
    return { machineSetPatch: mergePatch({ spec: { template: { spec: { version } } } }) }
  }
  says.UpdateMachine = (): JsonObject => ({ retryAfterSeconds: finish ? 0 : 1, message: 'at work' })
})

test.each(['in-place', 'replace'] as const)(
  'held by the gate alone, approved %s, and another version half way: it is paused, for Cluster API remembers what it was told',
  async (mode) => {
    finish = false
    const w = await at.g.workload(`w-${mode}`, { workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } }, {})
    await at.g.known(w)
    const md = w.machineDeployment
    const workers = async () =>
      (await at.g.machines(w))
        .filter((m) => !isControlPlane(m))
        .map(versionOf)
        .sort()
    const hold = async () => (await at.g.deployment(w)).metadata.annotations?.[HELD]
    await at.g.changeWorkers(w, 'v1.34.1')
    const first = await at.g.approvable(w, md, mode)
    // Nobody remembers anything of it: it is held by the gate alone.
    expect([first.heldBy, await hold()]).toEqual(['gate', undefined])
    await at.g.approve(w, md, mode)
    const answered = async () =>
      (await db().gateCall.count({ where: { changeId: first.id, hook: 'CanUpdateMachineSet', answer: mode } })) > 0
    await until('the gate to have answered', answered, { ms: 30_000, every: 20 })
    await at.g.changeWorkers(w, 'v1.34.2')
    const heldAs = (to: string) => async () => {
      const [newest] = await at.g.changes(w, md)
      return newest?.toVersion === to && newest.state === 'waiting' && newest.heldBy === 'latch'
    }
    await until('the other version to be held', heldAs('v1.34.2'), { ms: 40_000, every: 100 })
    expect(await hold()).toBe(BY_MEMORY)
    // And back, which nobody approved: of that Cluster API would ask nobody.
    await at.g.changeWorkers(w, 'v1.34.1')
    await until('the first version to be held', heldAs('v1.34.1'), { ms: 40_000, every: 100 })
    finish = true
    const begun = (await workers()).filter((version) => version === 'v1.34.1').length
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect((await workers()).filter((version) => version === 'v1.34.1')).toHaveLength(begun)
    expect(await workers()).toContain('v1.34.0')
    expect((await at.g.changes(w, md))[0]).toMatchObject({ state: 'waiting', decisions: [] })
    // Approved the same way it goes on to its end.
    await at.g.approve(w, md, mode)
    const all = async () => (await workers()).join() === 'v1.34.1,v1.34.1,v1.34.1'
    await until('every machine to have it', all, { ms: 40_000, every: 100 })
    expect(await hold()).toBeUndefined()
  },
)
