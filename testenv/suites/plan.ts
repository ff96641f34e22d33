import { stringify } from 'yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changeSetOf, outlookIn } from '@/lib/services/changes/change-row'
import { planChange } from '@/lib/services/plan/plan-change'
import type { PlanGroup, PlanResult } from '@/lib/services/plan/types'
import { startGate, type Gate } from '@/worker/gate'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { INFRASTRUCTURE, WORKER_MACHINE } from '../clusters/plain'
import { until } from '../process'
import type { TestCluster, WorkloadClusterOptions } from '../types'
import { writeAs } from './as'
import { ctx, Governing, names, OLD, type ChangeRow, type Deadlines, type Workload } from './governing'
import { CLUSTER, KCP, MD } from './watching'
import { stopAfterwards } from './stop-afterwards'

const NEW = 'v1.34.1'
const TEMPLATES = { group: INFRASTRUCTURE.apiGroup, version: 'v1beta2', plural: 'devmachinetemplates' }

/** What a plan says is what the change says once it is written, and what then happens. */
export function planSuite(get: () => TestCluster, times: Deadlines): void {
  let g: Governing
  let gate: Gate
  let worker: Worker
  const long = times.deadlineMs * 2

  beforeAll(async () => {
    g = new Governing(get(), times)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    await g.latched()
    worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer], parts: [] })
    await g.addUpdater(300)
    await g.register(gate.url)
  })

  stopAfterwards(() => [worker, gate, g])

  const workload = async (name: string, options: Partial<WorkloadClusterOptions> = {}): Promise<Workload> => {
    const made = await g.workload(name, options)
    const where = { clusterId: g.clusterId, namespace: made.namespace }
    const there = async () => (await db().machine.count({ where })) === made.before.length
    await until('the machines to have rows', there, { ms: 60_000 })
    await g.known(made)
    return made
  }

  /** Plans, and finds that nothing of it is in the cluster or the database. */
  async function planned(w: Workload, input: object): Promise<PlanResult> {
    const live = async () =>
      [await g.deployment(w), await g.kcp(w)].map(({ metadata, spec }) => ({ ...{ spec }, ...metadata.annotations }))
    const before = await live()
    const rows = await db().change.count({ where: { namespace: w.namespace } })
    const result = await planChange(ctx, { clusterId: g.clusterId, ...input })
    expect(await live()).toEqual(before)
    expect(await db().change.count({ where: { namespace: w.namespace } })).toBe(rows)
    return result
  }

  /** Once the managers know the gate, a plan says so too. */
  async function inPlace(w: Workload, input: object): Promise<PlanResult> {
    let result = await planned(w, input)
    const asked = async () => {
      result = await planned(w, input)
      return result.groups.some((group) => group.outlook.inPlace !== null)
    }
    await until('the gate to be asked', asked, { ms: 60_000, every: 250, rethrow: true })
    return result
  }

  const groupId = async (w: Workload, name: string): Promise<string> =>
    (await db().group.findFirstOrThrow({ where: { clusterId: g.clusterId, namespace: w.namespace, name } })).id

  /** Once the updaters have been asked in the background, which a plan does not leave for later. */
  async function asPlanned(w: Workload, plan: PlanGroup): Promise<void> {
    const covered = ({ changeSet }: Pick<PlanGroup, 'changeSet'>) => JSON.stringify(changeSet).split('coveredBy').length
    let change = await g.change(w, plan.groupName, ['waiting'])
    const asked = async () => {
      change = await g.change(w, plan.groupName, ['waiting'])
      return covered({ changeSet: changeSetOf(change) }) === covered(plan)
    }
    await until('the updaters to have been asked', asked, { ms: 60_000, every: 250 })
    same(plan, change)
  }

  function same(plan: PlanGroup, change: ChangeRow): void {
    expect(plan.fingerprint).toBe(change.fingerprint)
    expect(plan.summary).toBe(change.summary)
    expect(plan.machines).toBe(change.machines)
    expect(plan.outlook).toEqual(outlookIn(change))
    expect(plan.changeSet).toEqual(changeSetOf(change))
    expect(plan.heldBy).toBe(change.heldBy)
  }

  /** Verdicts machine by machine, as they stand in the read model afterwards. */
  async function sameMachines(w: Workload, plan: PlanGroup): Promise<void> {
    const told = Object.fromEntries(plan.machinesList.map((m) => [m.name, [m.verdict, m.verdictReason]]))
    expect(Object.keys(told)).toHaveLength(plan.machines)
    const stored = async () => {
      const rows = await db().machine.findMany({
        where: { clusterId: g.clusterId, namespace: w.namespace, groupName: plan.groupName },
      })
      return Object.fromEntries(rows.map((m) => [m.name, [m.verdict, m.verdictReason]]))
    }
    await expect.poll(stored, { timeout: 30_000, interval: 100 }).toEqual(told)
  }

  const manifest = (object: KubeObject, spec: JsonObject): string => {
    const { apiVersion, kind, metadata } = object
    return stringify({ apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace }, spec })
  }

  describe('a plan, and the change afterwards', () => {
    test(
      'a new version of workers without a spare: in place, and so it happens',
      async ({ skip }) => {
        if (!get().inPlace) skip()
        const w = await workload('pv', { workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 } })
        const id = await groupId(w, w.machineDeployment)
        const plan = await inPlace(w, { groupId: id, version: NEW })
        expect(plan).toMatchObject({ verdict: 'in-place', documents: [] })
        const [group] = plan.groups
        expect(group).toMatchObject({ groupName: w.machineDeployment, summary: `${OLD} → ${NEW}`, heldBy: 'latch' })
        await g.changeWorkers(w, NEW)
        const change = await g.approvable(w, w.machineDeployment, 'in-place')
        same(group!, change)
        await sameMachines(w, group!)
        await g.approve(w, w.machineDeployment, 'in-place')
        const done = await g.change(w, w.machineDeployment, ['done'])
        const { counts, created, deleted } = group!.outlook.inPlace!
        expect(done.outcome).toMatchObject({ updatedInPlace: counts['in-place'], created, deleted })
        expect(names(await g.machines(w))).toEqual(names(w.before))
      },
      long,
    )

    test(
      'a new template and the group that is pointed to it: the fields of the template, and a spare machine',
      async ({ skip }) => {
        if (!get().inPlace) skip()
        const w = await workload('pt', { workers: { replicas: 2, maxSurge: 1, maxUnavailable: 0 } })
        const live = await g.deployment(w)
        const backend = { backend: { inMemory: { vm: { provisioning: { startupDuration: '2s' } } } } }
        const template = { template: { spec: backend } }
        const other = { ...live, metadata: { ...live.metadata, name: `${w.name}-next` } }
        const machine = { ...other, apiVersion: `${TEMPLATES.group}/v1beta2`, kind: 'DevMachineTemplate' }
        const spec = live.spec as { template: { spec: { infrastructureRef: JsonObject } } } & JsonObject
        const pointed = structuredClone(spec)
        pointed.template.spec.infrastructureRef = { ...INFRASTRUCTURE, name: `${w.name}-next` }
        const manifests = `${manifest(machine, template)}---\n${manifest(live, pointed)}`
        const plan = await inPlace(w, { manifests })
        expect(plan.documents.map((d) => d.outcome)).toEqual(['new', 'changed'])
        expect(plan.verdict).toBe('replace')
        const [group] = plan.groups
        expect(group!.changeSet.fields.map((f) => f.path)).toContain('backend.inMemory.vm.provisioning.startupDuration')
        expect(group!.hull.counts).toContainEqual({ mark: 'new', count: 1 })
        const { name, namespace } = machine.metadata
        const object = { apiVersion: machine.apiVersion, kind: machine.kind, metadata: { name, namespace: namespace! } }
        await get().admin.create(TEMPLATES, { ...object, spec: template }, namespace)
        await get().admin.patch(MD, w.machineDeployment, namespace, 'merge', { spec: pointed })
        same(group!, await g.approvable(w, w.machineDeployment, 'in-place'))
        await sameMachines(w, group!)
        // And a template that machines are made of is not changed under its name.
        const changed = manifest({ ...machine, metadata: { ...machine.metadata, name: w.machineDeployment } }, template)
        const refused = await planned(w, { manifests: changed })
        expect(refused).toMatchObject({ verdict: 'invalid', groups: [] })
        expect(refused.documents[0]!.answer).toContain('field is immutable. Please create a new resource instead.')
        expect(JSON.stringify(WORKER_MACHINE)).not.toEqual(JSON.stringify(template))
      },
      long,
    )

    test(
      'a control plane, beside a change of its workers that waits already',
      async () => {
        const w = await workload('pk', { workers: { replicas: 1 } })
        await g.changeWorkers(w, NEW)
        const waiting = await g.change(w, w.machineDeployment, ['waiting'])
        const live = await g.kcp(w)
        const plan = await planned(w, { manifests: manifest(live, { ...live.spec, version: NEW }) })
        const [group] = plan.groups
        expect(plan.groups).toHaveLength(1)
        expect(group).toMatchObject({ groupKind: 'KubeadmControlPlane', waiting: null, verdict: 'replace' })
        const instead = await planned(w, { groupId: await groupId(w, w.machineDeployment), version: 'v1.34.2' })
        expect(instead.groups[0]).toMatchObject({ fromVersion: OLD, toVersion: 'v1.34.2', waiting: { id: waiting.id } })
        await g.changeControlPlane(w, NEW)
        await asPlanned(w, group!)
        await sameMachines(w, group!)
        // What waits, planned again, is what waits.
        const again = await planned(w, { manifests: manifest(await g.deployment(w), (await g.deployment(w)).spec!) })
        expect(again.groups[0]!.fingerprint).toBe(waiting.fingerprint)
      },
      long,
    )

    test(
      'a Cluster of a ClusterClass: the version of all its groups, first the control plane',
      async () => {
        const w = await workload('pc', { topology: true, workers: { replicas: 1 } })
        const cluster = await get().admin.get(CLUSTER, w.name, w.namespace)
        const spec = structuredClone(cluster.spec) as { topology: JsonObject } & JsonObject
        spec.topology.version = NEW
        const plan = await planned(w, { manifests: manifest(cluster, spec) })
        expect(plan.groups.map((group) => [group.groupName, group.toVersion])).toEqual([
          [w.controlPlane, NEW],
          [w.machineDeployment, NEW],
        ])
        const byGroup = await planned(w, { groupId: await groupId(w, w.controlPlane), version: NEW })
        expect(byGroup.groups.map((group) => group.fingerprint)).toEqual(plan.groups.map((group) => group.fingerprint))
        await get().admin.patch(CLUSTER, w.name, w.namespace, 'merge', { spec: { topology: { version: NEW } } })
        await asPlanned(w, plan.groups[0]!)
        await sameMachines(w, plan.groups[0]!)
        // Before it is handed down, and in mid upgrade, no other version is taken, by a plan either.
        spec.topology.version = 'v1.34.2'
        const refused = await planned(w, { manifests: manifest(cluster, spec) })
        expect(refused).toMatchObject({ verdict: 'invalid', groups: [] })
        expect(refused.documents[0]!.answer).toContain('was not propagated to control plane yet')
      },
      long,
    )
  })

  test(
    'what the API server says to a plan is what it says to the write',
    async () => {
      const w = await workload('pe', { workers: { replicas: 1 } })
      const said = async (body: Promise<unknown>): Promise<string> =>
        body.then(
          () => '',
          (error: Error) => error.message,
        )
      const kcp = await g.kcp(w)
      const [live, skipped] = [await g.deployment(w), { ...kcp.spec, version: 'v1.36.0' }]
      const odd = structuredClone(live.spec) as { template: { spec: JsonObject } } & JsonObject
      odd.template.spec.version = 'latest'
      const wrong = structuredClone(live.spec) as { template: { spec: JsonObject } } & JsonObject
      wrong.template.spec.colour = 'blue'
      const plan = await planned(w, {
        manifests: [manifest(live, odd), manifest(kcp, skipped)].join('---\n'),
      })
      expect(plan.documents.map((d) => d.outcome)).toEqual(['invalid', 'invalid'])
      const written = [
        await said(get().admin.patch(MD, w.machineDeployment, w.namespace, 'merge', { spec: odd })),
        await said(get().admin.patch(KCP, w.controlPlane, w.namespace, 'merge', { spec: skipped })),
      ]
      for (const [i, document] of plan.documents.entries())
        for (const line of document.answer!.split('\n')) expect(written[i]).toContain(line.replace(/^[\w.]+: /, ''))
      const unknown = await planned(w, { manifests: manifest(live, wrong) })
      expect(unknown.documents[0]).toMatchObject({ outcome: 'invalid', line: 1 })
      expect(unknown.documents[0]!.answer).toContain('colour: field not declared in schema')
    },
    long,
  )

  test(
    'what somebody else applied and no longer gives is taken away, as it would be for them',
    async () => {
      const w = await workload('pa', { workers: { replicas: 1 } })
      const { apiVersion, kind } = await g.deployment(w)
      const named = { apiVersion, kind, metadata: { name: w.machineDeployment, namespace: w.namespace } }
      const path = `/apis/${apiVersion}/namespaces/${w.namespace}/machinedeployments/${w.machineDeployment}`
      const given = { ...named, spec: { template: { spec: { failureDomain: 'a' } } } }
      const query = '?fieldManager=gitops&fieldValidation=Strict'
      const type = 'application/apply-patch+yaml'
      const { code } = await writeAs(get().adminKubeconfig, 'PATCH', path + query, given, type)
      expect(code).toBe(200)
      const waiting = await g.change(w, w.machineDeployment, ['waiting'])
      const kept = await planned(w, { manifests: stringify(given) })
      expect(kept.groups[0]).toMatchObject({ fingerprint: waiting.fingerprint, waiting: { id: waiting.id } })
      const left = { ...named, metadata: { ...named.metadata, labels: { team: 'a' } } }
      const gone = await planned(w, { manifests: stringify(left) })
      expect(gone).toMatchObject({ verdict: 'nothing', documents: [{ outcome: 'changed' }] })
      expect(gone.groups[0]).toMatchObject({ what: 'unchanged', changeSet: { pairs: [], fields: [] } })
    },
    long,
  )

  test(
    'an apply that is refused until it is forced is said to be, and planned as if it were',
    async () => {
      const w = await workload('pc', { workers: { replicas: 1 } })
      const { apiVersion, kind } = await g.deployment(w)
      const metadata = { name: w.machineDeployment, namespace: w.namespace }
      // No machine is outdated by this one: no change waits for it.
      const of = (nodeDrainTimeoutSeconds: number, labels?: JsonObject) => ({
        ...{ apiVersion, kind, metadata: { ...metadata, ...(labels ? { labels } : {}) } },
        spec: { template: { spec: { deletion: { nodeDrainTimeoutSeconds } } } },
      })
      const path = `/apis/${apiVersion}/namespaces/${w.namespace}/machinedeployments/${w.machineDeployment}`
      const as = async (manager: string, given: JsonObject, type: string) =>
        expect(
          (await writeAs(get().adminKubeconfig, 'PATCH', `${path}?fieldManager=${manager}`, given, type)).code,
        ).toBe(200)
      const apply = 'application/apply-patch+yaml'
      const managers = async () => ((await g.deployment(w)).metadata.managedFields ?? []).map(({ manager }) => manager)
      await as('once', of(5), apply)
      expect(await managers()).toContain('once')
      await as('somebody', { spec: of(20).spec }, 'application/merge-patch+json')
      // Whose only field another one has written since manages nothing any more.
      expect(await managers()).not.toContain('once')
      const team = { team: 'a' }
      await as('gitops&force=true', of(10, team), apply)
      await as('somebody', { spec: of(20).spec }, 'application/merge-patch+json')
      const refused = await planned(w, { manifests: stringify(of(30, team)) })
      expect(refused).toMatchObject({ verdict: 'nothing', documents: [{ outcome: 'changed' }] })
      expect(refused.documents[0]!.sentence).toContain('until it is forced')
      expect(refused.documents[0]!.answer).toMatch(/conflict with "somebody".*nodeDrainTimeoutSeconds/s)
      const agreed = await planned(w, { manifests: stringify(of(20, team)) })
      expect(agreed.documents).toMatchObject([{ outcome: 'unchanged' }])
      expect(agreed.documents[0]).not.toHaveProperty('answer')
    },
    long,
  )
}
