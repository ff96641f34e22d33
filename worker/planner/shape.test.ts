import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { merged } from '@/lib/domain/boot-images/merge'
import type { JsonObject } from '@/lib/domain/json'
import { KubeError, type KubeClient, type Status } from '@/lib/kubernetes/types'
import { groupShapeOf, shapeSpec } from '@/lib/providers/cluster-api/shape'
import { outlookIn } from '@/lib/services/changes/change-row'
import { approveChange } from '@/lib/services/changes/approve-change'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { shapeSaid } from '@/lib/services/policies/shape'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { annotations, audited, expectHeld, expectReleased, inputFor, stateOf } from '@/testenv/deciding'
import { MD, type Held } from '@/testenv/held'
import { ada, lifted, row, says, timedCluster } from '@/testenv/timed'
import type { ClusterView } from '../types'
import type { PolicySpec } from '@/lib/domain/policies'
import { HELD } from '@/lib/domain/latch/names'
import { goInTime, holdToTimes } from './times'
import { shapeHeld } from './shape'

useTestDatabase()
const { at, view: plain, look, running, slow } = timedCluster()
const RESOURCE = {
  MachineDeployment: 'machinedeployments.cluster.x-k8s.io',
  KubeadmControlPlane: 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io',
}
beforeEach(async () => void (await lifted()))

/** As the worker sees the cluster. */
async function view(held: Held, client: Partial<KubeClient> = {}): Promise<ClusterView> {
  const base = await plain()
  const object = await held.read()
  const known = new Map([[`${held.namespace}/${held.name}`, object]])
  const both = { ...base.client, get: base.client.get.bind(base.client), ...client } as KubeClient
  return { ...base, client: both, objects: (resource) => (resource === RESOURCE[held.kind] ? known : new Map()) }
}
const once = async (held: Held, client: Partial<KubeClient> = {}) => shapeHeld(await view(held, client))
/** Written, planned anew, and looked at again. */
const shaped = async (held: Held, client: Partial<KubeClient> = {}) => {
  await once(held, client)
  await look(held)
  await once(held, client)
}
const said = async (held: Held) => shapeSaid((await row(held)).shape)
const is = async (held: Held) => groupShapeOf({ ...(await held.read()), kind: held.kind })
const ALL: Omit<PolicySpec, 'select'> = {
  ...{ maxSurge: 0, maxUnavailable: 1, deletionOrder: 'Newest', drainTimeout: '10m', detachTimeout: '5m' },
}

describe('a held group', () => {
  test('is written as its policies say, once and on record, and stays held', async () => {
    const held = await at.held()
    await says(held, ALL)
    await once(held)
    // What it comes to is foretold of what was there before.
    expect((await said(held))?.trouble).toMatch(/is being worked out$/)
    await shaped(held)
    expect(await is(held)).toEqual({
      ...{ maxSurge: '0', maxUnavailable: '1', deletionOrder: 'Newest', drainSeconds: 600, detachSeconds: 300 },
    })
    await expectHeld(held)
    expect(await audited(held)).toEqual(['change.shape ok', 'change.shaped ok'])
    expect(await said(held)).toMatchObject({ wrote: { maxSurge: '0', drainSeconds: 600 }, trouble: null })
  })

  test('of a control plane: what it has', async () => {
    const held = await at.held('KubeadmControlPlane')
    await says(held, { ...ALL, maxSurge: 1 })
    await shaped(held)
    expect(await is(held)).toMatchObject({ maxSurge: '1', drainSeconds: 600, detachSeconds: 300 })
    await expectHeld(held)
  })

  test('goes no sooner: what is approved before that is kept, and goes by itself then', async () => {
    const held = await at.held()
    await says(held, ALL)
    const { timing } = ((await getUpdate(ada, held.change.id)).policy as { listed: { timing: { why: string } } }).listed
    expect(timing.why).toBe('shape')
    await approveChange(ada, inputFor(held))
    expect([await stateOf(held), (await row(held)).dueMode]).toEqual(['waiting', 'replace'])
    expect(await annotations(held)).toHaveProperty([HELD])
    await shaped(held)
    await goInTime(await view(held))
    expect(await stateOf(held)).toBe('approved')
    expect(await is(held)).toMatchObject({ maxSurge: '0', maxUnavailable: '1' })
    // What was written to it stays on its page once it goes.
    const told = (await getUpdate(ada, held.change.id)).timeline.map(({ text }) => text)
    expect(told).toContainEqual(expect.stringMatching(/^Drydock wrote to its group, by the policy p-.*: maxSurge 0, /))
  })

  test('what somebody writes again stays, and keeps it held; another word of the policies is written again', async () => {
    const held = await at.held()
    await says(held, { maxSurge: 0, maxUnavailable: 1 })
    await shaped(held)
    const object = { ...(await held.read()), kind: held.kind }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', {
      spec: shapeSpec(object, { maxSurge: '2' }),
    })
    await shaped(held)
    await shaped(held)
    expect(await is(held)).toMatchObject({ maxSurge: '2' })
    expect((await said(held))?.trouble).toMatch(/says maxSurge 0, and somebody wrote something else/)
    await approveChange(ada, inputFor(held))
    expect(await stateOf(held)).toBe('waiting')
    await lifted()
    await says(held, { maxSurge: 1 })
    await shaped(held)
    expect(await is(held)).toMatchObject({ maxSurge: '1' })
  })

  test('what somebody writes right before it goes is seen on the object itself', async () => {
    const held = await at.held()
    await says(held, { maxSurge: 0, maxUnavailable: 1 })
    await shaped(held)
    const object = { ...(await held.read()), kind: held.kind }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', {
      spec: shapeSpec(object, { maxSurge: '5' }),
    })
    await approveChange(ada, inputFor(held))
    expect(await stateOf(held)).toBe('waiting')
    await expectHeld(held)
  })

  test('what has begun goes on as it began', async () => {
    const held = await running()
    const changeId = held.change.id
    const began = { changeId, machineId: randomUUID(), machineName: 'm-1', state: 'created', startedAt: new Date() }
    await db().machineProgress.create({ data: began })
    await says(held, { maxSurge: 0, maxUnavailable: 1 })
    await db().change.update({ where: { id: held.change.id }, data: { state: 'waiting', heldBy: 'gate' } })
    await once(held)
    expect([(await said(held))?.trouble, (await is(held)).maxSurge]).toEqual([null, '1'])
  })

  describe('a control plane that only the gate holds', () => {
    /** As it would be without its hold. */
    async function gated() {
      const held = await at.held('KubeadmControlPlane')
      await db().change.update({ where: { id: held.change.id }, data: { heldBy: 'gate' } })
      const unheld = async (surge: string) => {
        const object = { ...(await held.read()), kind: held.kind }
        const { metadata, spec } = object
        const shape = shapeSpec(object, { maxSurge: surge })
        return { ...object, metadata: { ...metadata, annotations: {} }, spec: merged(spec ?? {}, shape) }
      }
      const patch = vi.fn((..._: Parameters<KubeClient['patch']>) => held.read())
      const sees = (surge: string): Held => ({ ...held, read: () => unheld(surge) })
      return { held, patch, sees, client: (surge: string) => ({ patch, get: () => unheld(surge) }) }
    }

    test('is left alone where its surge would be another, until somebody writes that', async () => {
      const { held, patch, sees, client } = await gated()
      await says(held, { maxSurge: 1, drainTimeout: '10m' })
      await once(sees('0'), client('0'))
      expect(patch).not.toHaveBeenCalled()
      expect(await said(held)).toMatchObject({ wrote: null, stuck: true })
      expect((await said(held))?.trouble).toMatch(
        /says maxSurge 1, .* and only the gate holds its group: written now.* Have the latch govern it; or .*, if that may happen$/,
      )
      await approveChange(ada, { ...inputFor(held), typedName: held.name })
      expect(await stateOf(held)).toBe('waiting')
      await once(sees('1'), client('1'))
      expect(patch.mock.calls[0]?.[4]).toMatchObject({ spec: shapeSpec(await held.read(), { drainSeconds: 600 }) })
    })

    test('the same where it was held as it was seen, and is not as it is written', async () => {
      const { held, patch, client } = await gated()
      await says(held, { maxSurge: 1 })
      const paused = await held.read()
      const spec = merged(paused.spec ?? {}, shapeSpec({ ...paused, kind: held.kind }, { maxSurge: '0' }))
      await once({ ...held, read: () => Promise.resolve({ ...paused, spec }) }, client('0'))
      expect(patch).not.toHaveBeenCalled()
      expect([await said(held), await audited(held)]).toEqual([null, []])
    })
  })

  test('what only a person holds is theirs to shape: it goes as it is', async () => {
    const held = await at.held()
    await db().change.update({ where: { id: held.change.id }, data: { heldBy: 'person' } })
    await says(held, { maxSurge: 0, maxUnavailable: 1 })
    await once(held)
    const { id } = await approveChange(ada, inputFor(held))
    expect([(await is(held)).maxSurge, await stateOf(held)]).toEqual(['1', 'approved'])
    await expectReleased(held, id)
  })

  test('what was rejected is left alone', async () => {
    const held = await at.held()
    await db().change.update({ where: { id: held.change.id }, data: { state: 'rejected' } })
    await says(held, { maxSurge: 0, maxUnavailable: 1 })
    await once(held)
    expect([await said(held), (await is(held)).maxSurge]).toEqual([null, '1'])
  })

  test('what the API server refuses is said in its words, and it stays held', async () => {
    const held = await at.held()
    await says(held, ALL)
    const patch = vi.fn(() => Promise.reject(new KubeError(422, { message: 'maxSurge is invalid' } as Status, 'PATCH')))
    await shaped(held, { patch })
    await shaped(held, { patch })
    expect(patch).toHaveBeenCalledOnce()
    expect((await said(held))?.trouble).toMatch(/and the API server refused that: maxSurge is invalid/)
    await approveChange(ada, inputFor(held))
    expect(await stateOf(held)).toBe('waiting')
  })

  test('foretold is what there is where it could not be written, or somebody wrote something else since', async () => {
    const headline = async (held: Held) => outlookIn(await row(held)).replace.headline
    const held = await at.held()
    await look(held)
    const own = await headline(held)
    await says(held, { maxSurge: 3 })
    // Soon it is written, and looked at again in any case.
    expect(await look(held)).toBeGreaterThan(0)
    const asSaid = await headline(held)
    expect(asSaid).not.toBe(own)
    // What came from its hook, where something was said of it already, and nothing tried.
    const by = (heldBy: string) => db().change.update({ where: { id: held.change.id }, data: { heldBy } })
    await by('hook')
    await once(held, {})
    expect((await said(held))?.of).not.toBe('')
    await by('latch')
    await look(held)
    expect(await headline(held)).toBe(asSaid)
    const patch = () => Promise.reject(new KubeError(422, { message: 'no' } as Status, 'PATCH'))
    await once(held, { patch })
    await look(held)
    expect([(await said(held))?.stuck, await headline(held)]).toEqual([true, own])

    const other = await at.held()
    await says(other, { maxSurge: 3 })
    await shaped(other)
    const object = { ...(await other.read()), kind: other.kind }
    const spec = shapeSpec(object, { maxSurge: '1' })
    await at.cluster.admin.patch(MD, other.name, other.namespace, 'merge', { spec })
    await shaped(other)
    expect([(await said(other))?.stuck, await headline(other)]).toEqual([true, own.replaceAll(held.name, other.name)])
  })

  test('what others write to all the time is no refusal, and nobody is asked to write anything', async () => {
    const held = await at.held()
    await says(held, ALL)
    const patch: KubeClient['patch'] = async () => {
      const annotations = { busy: String(Math.random()) }
      await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { metadata: { annotations } })
      throw new KubeError(409, { message: 'the object has been modified' } as Status, 'PATCH')
    }
    await once(held, { patch })
    expect(await said(held)).toBeNull()
  })

  test('where no policy says anything it is as it was, and what was said of it is forgotten', async () => {
    const held = await at.held()
    await says(held, { maxSurge: 0, maxUnavailable: 1 })
    await shaped(held)
    await lifted()
    await shaped(held)
    expect([await said(held), (await is(held)).maxSurge]).toEqual([null, '0'])
    expect(await approveChange(ada, inputFor(held))).toMatchObject({ state: 'accepted' })
    expect(await db().change.count({ where: { id: held.change.id, state: 'approved' } })).toBe(1)
  })
})

test.each([
  ['MachineDeployment', 'cluster.x-k8s.io/v1beta1', { deletionOrder: 'Oldest' }, { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, deletePolicy: 'Oldest' } }, template: { spec: { nodeDrainTimeout: '600s' } } }],
  ['KubeadmControlPlane', 'controlplane.cluster.x-k8s.io/v1beta1', {}, { rolloutStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } }, machineTemplate: { nodeDrainTimeout: '600s' } }],
  ['MachineDeployment', 'cluster.x-k8s.io/v1beta2', { deletionOrder: 'Oldest' }, { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } }, deletion: { order: 'Oldest' }, template: { spec: { deletion: { nodeDrainTimeoutSeconds: 600 } } } }],
  ['KubeadmControlPlane', 'controlplane.cluster.x-k8s.io/v1beta2', {}, { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0 } } }, machineTemplate: { spec: { deletion: { nodeDrainTimeoutSeconds: 600 } } } }],
])('%s of %s: written in its own fields, and read again', (kind, apiVersion, more, expected) => {
  const object = { apiVersion, kind, metadata: { name: 'g', uid: 'u', resourceVersion: '1', creationTimestamp: '' }, spec: {} }
  const wanted = { maxSurge: '0', drainSeconds: 600, ...more }
  const spec = shapeSpec(object, wanted)
  expect(spec).toEqual(expected)
  expect(groupShapeOf({ ...object, spec: spec as JsonObject })).toMatchObject(wanted)
}) // prettier-ignore

test('taken back before anything began, it is written as its policies say by then before it goes', async () => {
  const held = await slow()
  await approveChange(ada, inputFor(held))
  await look(held)
  await withdrawApproval(ada, { changeId: held.change.id })
  await holdToTimes(await plain())
  await look(held)
  await expectHeld(held)
  await says(held, ALL)
  await shaped(held)
  await approveChange(ada, inputFor(held))
  await goInTime(await plain())
  expect(await is(held)).toMatchObject({ maxSurge: '0', deletionOrder: 'Newest' })
})
