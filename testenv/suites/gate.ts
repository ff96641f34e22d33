import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { valueAt } from '@/lib/domain/changes'
import { EXTENSION_CONFIG, HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import type { ServiceError } from '@/lib/services/errors'
import { seal } from '@/lib/seal'
import { startGate, type Gate } from '@/worker/gate'
import { makeAuthority } from '@/worker/gate/certificates'
import { renewRegistration } from '@/worker/gate/registrations'
import { calendarConsumer } from '@/worker/calendar'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { GOVERNED } from '../latch'
import { until } from '../process'
import type { TestCluster, WorkloadClusterOptions } from '../types'
import {
  type ChangeRow,
  ctx,
  Governing,
  isControlPlane,
  names,
  OLD,
  versionOf,
  type Deadlines,
  type Workload,
} from './governing'
import {
  annotation,
  CLUSTER,
  EXTENSIONS,
  expectFree,
  expectHeld,
  KCP,
  MD,
  NAMESPACES,
  refusal,
  release,
} from './watching'
import { stopAfterwards } from './stop-afterwards'

const NOT_GOVERNED = Object.fromEntries(Object.keys(GOVERNED).map((label) => [label, null]))

/**
 * Change, decision, rollout: what a person decides is what the managers do, and nothing else is. Each chain has a
 * workload cluster of its own and goes on from where its test before ended; the chains run beside each other.
 */
export function gateSuite(get: () => TestCluster, times: Deadlines): void {
  let g: Governing
  let gate: Gate
  let worker: Worker
  const long = times.deadlineMs * 2

  beforeAll(async () => {
    g = new Governing(get(), times)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    // The keeper is not part of this: that the latch is there is all that the planner needs to know.
    await g.latched()
    worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer, calendarConsumer], parts: [] })
    if (!get().inPlace) return
    await g.addUpdater(500)
    await g.register(gate.url)
  })

  stopAfterwards(() => [worker, gate, g])

  /** Every machine fared as was said when it was approved. */
  const asForetold = ({ foretold, asForetold: so }: ChangeRow) => {
    expect(foretold).toBeGreaterThan(0)
    expect(so).toBe(foretold)
  }

  /** One workload cluster, one test after the other; beside the other chains. */
  const chain = (
    what: string,
    name: string,
    options: Partial<WorkloadClusterOptions>,
    tests: (w: () => Workload) => void,
  ) =>
    describe.concurrent(what, () => {
      let made: Workload
      beforeAll(async () => {
        made = await g.workload(name, options)
        await g.known(made)
      }, times.deadlineMs * 2)
      tests(() => made)
    })

  const rejects = (
    w: () => Workload,
    group: () => string,
    change: (version: string) => Promise<KubeObject>,
    read: () => Promise<KubeObject>,
  ) =>
    test.sequential(
      'rejected, it stays as it is and says so on the object; changed back, it is let go',
      async () => {
        await change('v1.34.1')
        const { id, fingerprint, heldBy } = await g.change(w(), group(), ['waiting'])
        expect(heldBy).toBe('latch')
        await rejectChange(ctx, { changeId: id, fingerprint, reason: 'not on a Friday' })
        await g.change(w(), group(), ['rejected'])
        expectHeld(await read(), 'not on a Friday')
        await g.nothingMoves(w())
        await change(OLD)
        await g.change(w(), group(), ['reverted'])
        await until('the hold to be gone', async () => annotation(await read(), PAUSED) === undefined, { ms: 60_000 })
        await g.nothingMoves(w())
        const events = await db().auditEvent.findMany({ where: { targetId: id }, orderBy: { id: 'asc' } })
        // Intent first; another write may have been refused in between.
        expect(events.map((e) => e.action)).toContain('change.revert')
        expect(events.at(-2)).toMatchObject({ action: 'change.reverted', result: 'ok', actorName: 'drydock planner' })
        expect(events.at(-1)).toMatchObject({ action: 'change.taken-back', result: 'ok' })
      },
      long,
    )

  chain('a MachineDeployment whose old template is gone', 'gl', { workers: { replicas: 1 } }, (w) => {
    test.sequential(
      'nothing can be approved, and Cluster API would not move it either: it compares before it asks',
      async ({ skip }) => {
        if (!get().inPlace) skip()
        const { admin } = get()
        const { namespace, machineDeployment: name } = w()
        const ref = valueAt((await g.deployment(w())) as never, 'spec', 'template', 'spec', 'infrastructureRef') as {
          apiGroup: string
          kind: string
          name: string
        }
        const api = (await admin.raw(`/apis/${ref.apiGroup}`)) as { preferredVersion: { version: string } }
        const { version } = api.preferredVersion
        const templates = { group: ref.apiGroup, version, plural: `${ref.kind.toLowerCase()}s` }
        const { apiVersion, kind, spec } = await admin.get(templates, ref.name, namespace)
        const copy = { apiVersion, kind, metadata: { name: `${ref.name}-2`, namespace }, spec }
        await admin.create(templates, copy as never, namespace)
        await admin.delete(templates, ref.name, namespace)
        const template = { spec: { version: 'v1.34.1', infrastructureRef: { name: `${ref.name}-2` } } }
        await admin.patch(MD, name, namespace, 'merge', { spec: { template } })
        const { id, fingerprint } = await g.change(w(), name, ['waiting'])
        for (const mode of ['in-place', 'replace'] as const)
          await expect(approveChange(ctx, { changeId: id, fingerprint, mode })).rejects.toMatchObject({
            message: expect.stringMatching(/does not exist|cannot be done in place/) as string,
          })
        // Let go by hand, and nothing holds it any more.
        await admin.patch(NAMESPACES, namespace, undefined, 'merge', { metadata: { labels: NOT_GOVERNED } })
        await release(await kubeClientFor(g.clusterId), MD, name, namespace)
        await until(
          'Cluster API to have tried',
          async () => JSON.stringify((await g.deployment(w())).status).includes('not up-to-date'),
          {
            ms: times.deadlineMs,
          },
        )
        await g.nothingMoves(w())
      },
      long,
    )
  })

  chain(
    'a MachineDeployment without surge',
    'gi',
    { workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } },
    (w) => {
      const md = () => w().machineDeployment

      test.sequential(
        'is held, then updated in place when approved so',
        async ({ skip }) => {
          if (!get().inPlace) skip()
          await g.changeWorkers(w(), 'v1.34.1')
          const waiting = await g.change(w(), md(), ['waiting'])
          expect(waiting).toMatchObject({ heldBy: 'latch', summary: `${OLD} → v1.34.1`, machines: 3 })
          await g.nothingMoves(w())
          await g.approve(w(), md(), 'in-place')
          const done = await g.change(w(), md(), ['done'])
          asForetold(done)
          expect(done.outcome).toMatchObject({ updatedInPlace: 3, created: 0, deleted: 0 })
          expect(done.decisions[0]).toMatchObject({ state: 'seen' })
          expect(names(await g.machines(w()))).toEqual(names(w().before))
        },
        long,
      )

      test.sequential(
        'changed again in the middle of the rollout: the approval is void, and the rest is held',
        async () => {
          const mode = get().inPlace ? 'in-place' : 'replace'
          const workers = async () => (await g.machines(w())).filter((m) => !isControlPlane(m))
          const at = async (version: string) => (await workers()).filter((m) => versionOf(m) === version).length
          const first = versionOf((await workers())[0]!)
          await g.changeWorkers(w(), 'v1.34.2')
          const { changeId } = await g.approve(w(), md(), mode, 'v1.34.2')
          await until('the rollout to begin', async () => (await at('v1.34.2')) > 0, {
            ms: times.deadlineMs,
            every: 30,
          })
          expectHeld(await g.changeWorkers(w(), 'v1.34.3'))
          const next = await g.change(w(), md(), ['waiting'], 'v1.34.3')
          expect(next).toMatchObject({ heldBy: 'latch', decisions: [] })
          const before = (await g.changes(w(), md())).find((row) => row.id === changeId)!
          expect(before).toMatchObject({ state: 'superseded', decisions: [{ state: 'voided' }] })
          const settled = (m: KubeObject) => m.status?.phase === 'Running' && !m.metadata.deletionTimestamp
          await until('what was under way to end', async () => (await workers()).every(settled), {
            ms: times.deadlineMs,
          })
          await g.nothingMoves(w())
          expect(await at(first)).toBeGreaterThan(0)
          expect(await at('v1.34.3')).toBe(0)
          await g.approve(w(), md(), mode, 'v1.34.3')
          await g.change(w(), md(), ['done'], 'v1.34.3')
          expect(await at('v1.34.3')).toBe(3)
          if (get().inPlace) expect(names(await g.machines(w()))).toEqual(names(w().before))
        },
        long,
      )
    },
  )

  chain('a MachineDeployment with surge', 'gr', { workers: { replicas: 2 } }, (w) => {
    const md = () => w().machineDeployment
    rejects(
      w,
      md,
      (version) => g.changeWorkers(w(), version),
      () => g.deployment(w()),
    )

    test.sequential(
      'is replaced when approved so',
      async () => {
        await g.changeWorkers(w(), 'v1.34.2')
        await g.change(w(), md(), ['waiting'], 'v1.34.2')
        await g.nothingMoves(w())
        await g.approve(w(), md(), 'replace', 'v1.34.2')
        const done = await g.change(w(), md(), ['done'], 'v1.34.2')
        asForetold(done)
        expect(done.outcome).toMatchObject({ updatedInPlace: 0, created: 2, deleted: 2 })
      },
      long,
    )
  })

  test.concurrent(
    'what somebody’s own pause kept back before it was governed is put on hold when it is seen',
    async () => {
      const { admin } = get()
      const w = await g.workload('gp', { workers: { replicas: 1 } }, {})
      await g.known(w)
      const pause = (value: string | null) =>
        admin.patch(MD, w.machineDeployment, w.namespace, 'merge', { metadata: { annotations: { [PAUSED]: value } } })
      await pause('maintenance')
      await g.changeWorkers(w, 'v1.34.1')
      await g.change(w, w.machineDeployment, ['waiting'])
      expect(annotation(await g.deployment(w), HELD)).toBeUndefined()
      await admin.patch(NAMESPACES, w.namespace, undefined, 'merge', { metadata: { labels: GOVERNED } })
      const held = async () => annotation(await g.deployment(w), HELD) !== undefined
      await until('it to be put on hold', held, { ms: times.deadlineMs })
      expect(annotation(await g.deployment(w), PAUSED)).toBe('maintenance')
      expect(await refusal(pause(null))).toMatchObject({ code: 403 })
      await g.nothingMoves(w)
      await g.changeWorkers(w, OLD)
      await g.change(w, w.machineDeployment, ['reverted'])
      expect(annotation(await g.deployment(w), PAUSED)).toBe('maintenance')
      await until('the hold to be gone', async () => !(await held()), { ms: times.deadlineMs })
      await pause(null)
    },
    long,
  )

  test.concurrent(
    'a new certificate authority is made known to the managers while the old one still signs',
    async ({ skip }) => {
      if (!get().inPlace) skip()
      const authority = await makeAuthority()
      const { certPem, notBefore, notAfter } = authority
      const id = randomUUID()
      const { sealed, keyId } = seal(authority.keyPem, `gate-certificate:${id}`)
      await db().gateCertificate.create({
        data: { id, role: 'ca', certPem, sealedKey: sealed, keyId, hosts: [], notBefore, notAfter },
      })
      const trusted = async () => {
        const { spec } = await get().admin.get(EXTENSIONS, EXTENSION_CONFIG)
        return Buffer.from(String(valueAt(spec, 'clientConfig', 'caBundle')), 'base64').toString()
      }
      const before = await trusted()
      expect(await renewRegistration(g.clusterId, worker.owner)).toBe(true)
      expect(await trusted()).toContain(before.trim())
      expect((await trusted()).match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
      expect(await renewRegistration(g.clusterId, worker.owner)).toBe(false)
      await until('the managers to discover it anew', () => g.discovered(), { ms: times.deadlineMs })
    },
    long,
  )

  for (const maxSurge of [0, 1] as const)
    chain(
      `a control plane of three with maxSurge ${maxSurge}`,
      `gk${maxSurge}`,
      { controlPlane: { replicas: 3, maxSurge }, workers: { replicas: 1 } },
      (w) => {
        const cp = () => w().controlPlane
        const change = (version: string) => g.changeControlPlane(w(), version)
        rejects(w, cp, change, () => g.kcp(w()))

        test.sequential(
          'is held without a surge machine, then updated in place',
          async ({ skip }) => {
            if (!get().inPlace) skip()
            await change('v1.34.2')
            await g.change(w(), cp(), ['waiting'], 'v1.34.2')
            await g.nothingMoves(w())
            await g.approve(w(), cp(), 'in-place', 'v1.34.2')
            const done = await g.change(w(), cp(), ['done'], 'v1.34.2')
            asForetold(done)
            expect(done.outcome).toMatchObject({ updatedInPlace: 3 - maxSurge, created: maxSurge, deleted: maxSurge })
          },
          long,
        )

        test.sequential(
          'is held, then replaced',
          async () => {
            await change('v1.34.3')
            const looked = await g.change(w(), cp(), ['waiting'], 'v1.34.3')
            // Not a field of any machine, and yet it replaces some later: it was not there to be approved.
            await get().admin.patch(KCP, cp(), w().namespace, 'merge', {
              spec: { rollout: { before: { certificatesExpiryDays: 7 } } },
            })
            const stale = { changeId: looked.id, fingerprint: looked.fingerprint, mode: 'replace', typedName: cp() }
            const early = await approveChange(ctx, stale).catch((error: ServiceError) => error.code)
            if (early !== 'conflict') expect(early).toMatchObject({ state: 'voided', calls: [] })
            await until('another change to take its place', async () => {
              const [next, before] = await g.changes(w(), cp())
              return next?.state === 'waiting' && before?.id === looked.id && before.state === 'superseded'
            })
            await g.nothingMoves(w())
            await g.approve(w(), cp(), 'replace', 'v1.34.3')
            const done = await g.change(w(), cp(), ['done'], 'v1.34.3')
            asForetold(done)
            expect(done.outcome).toMatchObject({ updatedInPlace: 0, created: 3, deleted: 3 })
          },
          long,
        )
      },
    )

  chain(
    'a ClusterClass cluster',
    'gc',
    { topology: true, workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 } },
    (w) => {
      test.sequential(
        'is held at its control plane, and after it at its workers; each moves when it is approved',
        async () => {
          const mode = get().inPlace ? 'in-place' : 'replace'
          await get().admin.patch(CLUSTER, w().name, w().namespace, 'merge', {
            spec: { topology: { version: 'v1.34.1' } },
          })
          await g.change(w(), w().controlPlane, ['waiting'])
          await g.nothingMoves(w())
          await g.approve(w(), w().controlPlane, 'replace')
          const waiting = await g.change(w(), w().machineDeployment, ['waiting'])
          expect(waiting).toMatchObject({ heldBy: get().inPlace ? 'hook' : 'latch', machines: 2 })
          const control = await g.change(w(), w().controlPlane, ['done'])
          asForetold(control)
          expect(control.outcome).toMatchObject({ created: 1, deleted: 1 })
          await g.nothingMoves(w())
          const versions = async (which: boolean) =>
            (await g.machines(w())).filter((m) => isControlPlane(m) === which).map(versionOf)
          expect(await versions(true)).toEqual(['v1.34.1'])
          expect(await versions(false)).toEqual([OLD, OLD])
          await g.approve(w(), w().machineDeployment, mode)
          const done = await g.change(w(), w().machineDeployment, ['done'])
          asForetold(done)
          expect(done.outcome).toMatchObject(
            get().inPlace
              ? { updatedInPlace: 2, created: 0, deleted: 0 }
              : { updatedInPlace: 0, created: 2, deleted: 2 },
          )
          expect(await versions(false)).toEqual(['v1.34.1', 'v1.34.1'])
          expectFree(await g.deployment(w()))
        },
        long * 2,
      )
    },
  )
}
