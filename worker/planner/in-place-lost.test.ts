import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { groupResource } from '@/lib/services/changes/patch-for'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { bootstrapOf, pauseCluster } from '@/testenv/bootstrap-template'
import { annotations, audited, expectHeld, expectReleased, inputFor } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { newestOf } from '@/testenv/reconnected'
import { ada, approvals, decisions, timedCluster } from '@/testenv/timed'
import { heldWords } from '@/components/updates/held-words'
import type { PlanContext } from './common'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

useTestDatabase()
const { at } = timedCluster()
const TEMPLATES = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
const KCP = groupResource('KubeadmControlPlane', 'controlplane.cluster.x-k8s.io/v1beta2')

const asIs = (context: PlanContext): PlanContext => context
const look = async (held: Held, seen = asIs): Promise<void> => {
  const context = seen(await planningContext(at.clusterId))
  await planGroup(context, { ...(await held.read()), kind: held.kind })
  await holdToTimes(context.view)
}

/** Let go, where Cluster API asks the gate, and under way. Nothing moves while the test looks. */
async function underWay(before: Held, mode: string): Promise<Held> {
  await look(before)
  const held = await newestOf(before)
  await approveChange(ada, { ...inputFor(held), typedName: held.name })
  const where = { changeId: held.change.id }
  await db().decision.updateMany({ where, data: { mode } })
  await db().approval.updateMany({ where, data: { mode } })
  const data = { gateState: 'registered', latchForm: 'policy' }
  await db().managementCluster.update({ where: { id: at.clusterId }, data })
  for (const _look of [1, 2]) await look(held)
  expect(await newestOf(held)).toMatchObject({ change: { id: held.change.id, state: 'running' } })
  return held
}

async function governed(kind?: Held['kind']): Promise<Held> {
  const held = await at.held(kind)
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  await pauseCluster(at.cluster.admin, held)
  return held
}

/** Held for people, and told as what had been let go. */
async function expectStopped(held: Held, words: RegExp): Promise<void> {
  await expectHeld(held)
  const now = await newestOf(held)
  expect(now.change).toMatchObject({ state: 'waiting', dueMode: null })
  expect([...(await audited(held)), ...(await audited(now))]).not.toContain('change.not-held ok')
  const page = await getUpdate(ada, now.change.id)
  const told = heldWords({ ...page, heldBy: 'latch', heldWords: (await annotations(held))[HELD]! })
  expect(told).toMatch(words)
}

test('under way in place, it is held where its old template is pruned, and told as what had been let go', async () => {
  const before = await governed()
  const { admin } = at.cluster
  const bootstrap = await bootstrapOf(admin, before)
  await bootstrap.copy('next', 'echo one')
  const spec = { template: { spec: { bootstrap: { configRef: { name: 'next' } } } } }
  await admin.patch(MD, before.name, before.namespace, 'merge', { spec } as never)
  const held = await underWay(before, 'in-place')
  await admin.delete(TEMPLATES, bootstrap.name, held.namespace)
  for (let i = 0; i < 3; i++) await look(held)
  await expectStopped(
    held,
    /^Drydock stopped it after it had been let go: a template that its machines were made from is gone/,
  )
})

/** A machine that is up to date is seen beside the old one, and its certificates expire tomorrow. */
const expiring = (context: PlanContext): PlanContext => {
  const machines: PlanContext['source']['machines'] = async (group) => {
    const [old] = (await context.source.machines(group)) as [KubeObject]
    const certificatesExpiryDate = new Date(Date.now() + 86_400_000).toISOString()
    const done = {
      ...{ ...old, metadata: { ...old.metadata, name: 'cp-done', uid: randomUUID() } },
      ...{ spec: { ...old.spec, version: 'v1.34.1' }, status: { ...old.status, certificatesExpiryDate } },
    }
    return [old, done]
  }
  return { ...context, source: { ...context.source, machines } }
}

test.each(['in-place', 'replace'])('a rule that replaces what is up to date joins in on the way (%s)', async (mode) => {
  const before = await governed('KubeadmControlPlane')
  const rollout = { before: { certificatesExpiryDays: 30 } }
  await at.cluster.admin.patch(KCP, before.name, before.namespace, 'merge', { spec: { rollout } })
  const held = await underWay(before, mode)
  for (let i = 0; i < 3; i++) await look(held, expiring)
  if (mode === 'in-place')
    return expectStopped(held, /^Drydock stopped it after it had been let go: a rule of its group replaces machines/)
  const [decision] = await decisions(held)
  expect(decision).toMatchObject({ mode, state: 'seen' })
  await expectReleased(held, decision!.id)
  expect(await newestOf(held)).toMatchObject({ change: { id: held.change.id, state: 'running' } })
})

test.each(['MachineDeployment', 'KubeadmControlPlane'] as const)(
  'where its strategy brings a spare by now, and did not when it was approved in place, it is held for people (%s)',
  async (kind) => {
    const before = await governed(kind)
    const md = kind === 'MachineDeployment'
    const says = (maxSurge: number, maxUnavailable: number) => {
      const rollingUpdate = { maxSurge, ...(md ? { maxUnavailable } : {}) }
      const spec = { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate } }, ...(md ? {} : { replicas: 3 }) }
      return at.cluster.admin.patch(md ? MD : KCP, before.name, before.namespace, 'merge', { spec } as never)
    }
    await says(0, 1)
    const held = await underWay(before, 'in-place')
    await look(held)
    expect(await newestOf(held)).toMatchObject({ change: { id: held.change.id, state: 'running' } })
    await says(1, 0)
    for (let i = 0; i < 3; i++) await look(held)
    await expectStopped(held, /^Drydock stopped it after it had been let go: its strategy brings a spare machine first/)
    expect(await approvals(held)).toEqual(['ada void'])
  },
)
