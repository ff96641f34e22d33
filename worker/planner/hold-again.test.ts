import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rolloutDigest } from '@/lib/domain/latch/digest'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { recordAudit } from '@/lib/services/audit/record'
import { systemCtx } from '@/lib/services/context'
import { isUnguarded, takenWords } from '@/lib/services/changes/held-again'
import { DECISION } from '@/lib/services/changes/patch-for'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { writerSince } from '@/lib/providers/cluster-api'
import { approveChange } from '@/lib/services/changes/approve-change'
import { annotations, as, audited, expectHeld, inputFor, latchedCluster, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { ada, bo, CLOSED, lifted, says } from '@/testenv/timed'
import { wantsElse } from './hold-again'
import { planGroup } from './plan-group'
import { holdToTimes } from './times'

useTestDatabase()
const at = latchedCluster()

/** As of an API server that serves no ValidatingAdmissionPolicy. */
const context = async () => {
  const { view, ...rest } = await planningContext(at.clusterId)
  const latch = { ...view.capabilities.latch, guard: false }
  return { ...rest, view: { ...view, capabilities: { ...view.capabilities, latch } } }
}
type Context = Awaited<ReturnType<typeof context>>
const planned = async (held: Held, of?: Context) =>
  planGroup(of ?? (await context()), { ...(await held.read()), kind: 'MachineDeployment' })
const free = async (held: Held, pause: string | null = null) =>
  (await context()).view.client.patch(MD, held.name, held.namespace, 'merge', {
    metadata: { annotations: { [PAUSED]: pause, [HELD]: null } },
  })

const CLUSTERS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters' }
let held: Held
beforeEach(async () => {
  held = await at.held()
  // Nothing moves while these tests look, however long they take.
  const { workloadCluster } = held.change
  await at.cluster.admin.patch(CLUSTERS, workloadCluster, held.namespace, 'merge', { spec: { paused: true } })
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'webhook' } })
  await db().group.update({ where: { id: held.change.groupId }, data: { governed: true } })
  await planned(held)
})

test('without a guard a hold that somebody took away is put back, each time, whatever form the latch has', async () => {
  for (const times of [1, 2]) {
    await free(held)
    await planned(held)
    await expectHeld(held)
    await planned(held)
    expect(await stateOf(held)).toBe('waiting')
    const again = ['change.hold-again ok', 'change.held-again ok']
    expect(await audited(held)).toEqual(Array.from({ length: times }, () => again).flat())
  }
  // Somebody's own pause in its place holds nothing back for ever.
  await free(held, 'night shift')
  await planned(held)
  expect(await annotations(held)).toMatchObject({ [PAUSED]: 'night shift', [HELD]: expect.any(String) as string })
})

test('rejected, and approved after all for its time: the object says so, and a hold that somebody took away is put back', async () => {
  const { id: changeId, fingerprint } = held.change
  await says(held, CLOSED)
  await rejectChange(bo, { changeId, fingerprint, reason: 'not tonight' })
  await planned(held)
  expect((await annotations(held))[HELD]).toBe('rejected by Bo: not tonight')
  await approveChange(ada, inputFor(held))
  await planned(held)
  expect((await annotations(held))[HELD]).toMatch(/^Stopped by Drydock: not now: /)
  await free(held)
  await planned(held)
  await expectHeld(held)
  expect(await stateOf(held)).toBe('waiting')
  await lifted()
})

test('the decision of a change that is over lets the same wish go no second time', async () => {
  const { id: _, detectedAt: __, ...change } = await db().change.findUniqueOrThrow({ where: { id: held.change.id } })
  const over = await db().change.create({
    data: {
      ...{ ...change, state: 'done', detectedAt: new Date(0) },
      ...({ changeSet: change.changeSet, outlook: change.outlook } as never as { changeSet: object; outlook: object }),
      ...({ wave: undefined, outcome: undefined, shape: undefined, late: undefined } as object),
      decisions: {
        create: {
          ...{ fingerprint: change.fingerprint, mode: 'replace', actorId: 'a', actorName: 'Ada', state: 'seen' },
          ...{ acceptedAt: new Date(0), sentAt: new Date(0) },
        },
      },
    } as never,
    include: { decisions: true },
  })
  const decision = over.decisions[0]!.id
  await (
    await context()
  ).view.client.patch(MD, held.name, held.namespace, 'merge', {
    metadata: { annotations: { [PAUSED]: null, [HELD]: null, [DECISION]: decision } },
  })
  await planned(held)
  await expectHeld(held)
  expect(await audited(held)).toEqual(['change.hold-again ok', 'change.held-again ok'])
})

test('only pools are watched beside a latch: what has its guard is left to those who may', async () => {
  const { id } = held.change
  const watches = { watchSince: new Date(), watchPoolsOnly: true }
  await db().managementCluster.update({ where: { id: at.clusterId }, data: watches })
  const guarded = await planningContext(at.clusterId)
  expect(await isUnguarded(guarded.view.capabilities, held.change.groupId)).toBe(false)
  await free(held)
  await planned(held, guarded)
  expect(await audited(held)).toEqual(['change.let-go ok'])
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { watchPoolsOnly: false } })
  expect(await isUnguarded(guarded.view.capabilities, held.change.groupId)).toBe(true)
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { watchSince: null } })
  expect((await db().change.findUniqueOrThrow({ where: { id } })).state).toBe('running')
})

test('of a pool, the image that is built for it stands nowhere on the object', async () => {
  const kind = 'MachineConfigPool'
  const apiVersion = 'machineconfiguration.openshift.io/v1'
  const pool = (name: string) => ({ apiVersion, kind, metadata: { name: 'worker' }, spec: { configuration: { name } } })
  const digest = rolloutDigest({ ...pool('rendered-1'), built: { image: 'registry/os@sha256:1' } })!
  const isPast = wantsElse({ groupKind: kind, digest })
  expect(await isPast(pool('rendered-1') as never)).toBe(false)
  expect(await isPast(pool('rendered-2') as never)).toBe(true)
})

test('what cannot be held again is known to move', async () => {
  await free(held)
  const of = await context()
  const patch = () => Promise.reject(new KubeError(403, { message: 'denied by another webhook' } as never, 'PATCH'))
  const client = Object.create(of.view.client, { patch: { value: patch } }) as typeof of.view.client
  for (const _again of [1, 2]) await planned(held, { ...of, view: { ...of.view, client } })
  expect(await stateOf(held)).toBe('running')
  expect(await audited(held)).toEqual(['change.hold-again ok', 'change.held-again refused', 'change.let-go ok'])
})

/** Something happens right before the first write to the group. */
function meanwhile(of: Context, happens: () => Promise<unknown>): Context {
  let first = true
  const patch: typeof of.view.client.patch = async (...args) => {
    if (first && args[1] === held.name) {
      first = false
      await happens()
    }
    return of.view.client.patch(...args)
  }
  const client = Object.create(of.view.client, { patch: { value: patch } }) as typeof of.view.client
  return { ...of, view: { ...of.view, client } }
}
const approved = async () => expect(await approveChange(as('approver'), inputFor(held))).toMatchObject({ error: null })
const expectGoing = async () => {
  expect(await annotations(held)).not.toHaveProperty([HELD])
  await planned(held)
  expect(await stateOf(held)).toBe('running')
  const { decisions } = await db().change.findUniqueOrThrow({
    where: { id: held.change.id },
    include: { decisions: { select: { state: true } } },
  })
  expect(decisions).toEqual([{ state: 'seen' }])
  expect(await db().approval.count({ where: { changeId: held.change.id, endedAt: { not: null } } })).toBe(0)
}

test('approved while its hold is being put back, it goes', async () => {
  await free(held)
  await planned(held, meanwhile(await context(), approved))
  expect(await audited(held)).toContain('change.held-again failed')
  await expectGoing()
})

test('held and approved while a round is about to hold what moves unapproved, it goes', async () => {
  const { id } = held.change
  const target = { kind: held.kind, id, name: held.name }
  await db().$transaction((tx) => recordAudit(tx, systemCtx('planner'), { action: 'change.let-go', target }))
  await db().change.update({ where: { id }, data: { state: 'running', heldBy: 'none' } })
  await free(held)
  const of = meanwhile(await context(), async () => {
    await db().change.update({ where: { id }, data: { state: 'waiting', heldBy: 'latch' } })
    await approved()
  })
  await holdToTimes(of.view)
  expect(await audited(held)).toContain('change.held-again failed')
  await expectGoing()
})

test('nobody holds again where there is no latch any more', async () => {
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'none' } })
  await free(held)
  await planned(held)
  expect(await stateOf(held)).toBe('running')
  expect(await audited(held)).toEqual(['change.let-go ok'])
})

test('who wrote since is told by managed fields: no controller, and nobody from before', () => {
  const entry = (manager: string, time: string, more = {}) => ({ manager, time, operation: 'Update', ...more })
  const managedFields = [
    entry('kubectl-edit', '2026-01-01T10:00:00Z'),
    entry('argocd-controller', '2026-01-01T10:05:00Z'),
    entry('helm', '2026-01-01T10:04:00Z'),
    entry('manager', '2026-01-01T10:06:00Z'),
    entry('someone', '2026-01-01T10:07:00Z', { subresource: 'status' }),
  ]
  const object = { metadata: { name: 'g', managedFields } } as never
  expect(writerSince(object, new Date('2026-01-01T10:01:00Z'))).toBe('argocd-controller')
  expect(writerSince(object, new Date('2026-01-01T10:05:00Z'))).toBeNull()
})

test('a manager that is called unknown is no name', async () => {
  const words = (manager: string) => {
    const managedFields = [{ manager, time: '2026-01-01T10:05:00Z', operation: 'Update' }]
    const taken = { ...held.change, detectedAt: new Date('2026-01-01T10:00:00Z') }
    return takenWords(taken, { metadata: { name: 'g', managedFields } } as never)
  }
  expect(await words('helm')).toContain('(helm wrote to it since)')
  expect(await words('unknown')).toContain('(its managed fields do not say by whom)')
})
