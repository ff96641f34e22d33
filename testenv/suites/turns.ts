import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { approveChange } from '@/lib/services/changes/approve-change'
import { outlookIn } from '@/lib/services/changes/change-row'
import { forecastChange } from '@/lib/services/forecast/forecast-change'
import { startGate, type Gate } from '@/worker/gate'
import { plannerConsumer } from '@/worker/planner'
import { registrationConsumer } from '@/worker/registration'
import { startWorker, type Worker } from '@/worker/worker'
import { until } from '../process'
import type { TestCluster } from '../types'
import { ctx, names, OLD, versionOf, type ChangeRow, type Deadlines, type Workload } from './governing'
import { bootstrap, COMMAND, infrastructure, socket, STARTS_IN, Turning, version, type Group } from './turning'
import type { Shape } from './turning'
import { expectFree, expectHeld, MD } from './watching'
import { stopAfterwards } from './stop-afterwards'

const [NEW, NEXT] = ['v1.34.1', 'v1.34.2']
const MACHINES = { ...MD, plural: 'machines' }
const SETS = { ...MD, plural: 'machinesets' }

/** By the workload cluster whose updaters they need: one for everything, two for a part each, a slow one. */
const SHAPES = {
  all: {
    infrastructure: { replicas: 3 },
    bootstrap: { replicas: 3 },
    together: { replicas: 3, surge: 1, unavailable: 0 },
    part: { replicas: 2, surge: 1, unavailable: 0 },
    metadata: { replicas: 2 },
    after: { replicas: 2 },
    'after-version': { replicas: 2, surge: 1, unavailable: 0 },
    'on-delete': { replicas: 2, onDelete: true },
  },
  two: {
    composed: { replicas: 2 },
    'composed-spare': { replicas: 3, surge: 1, unavailable: 0 },
    lacking: { replicas: 2 },
  },
  slow: {
    again: { replicas: 3 },
    'again-at-once': { replicas: 3 },
    back: { replicas: 3 },
    rolled: { replicas: 3 },
    up: { replicas: 3 },
    down: { replicas: 4 },
    failing: { replicas: 3 },
  },
} satisfies Record<string, Record<string, Shape>>

interface Part {
  name: keyof (typeof SHAPES)['all']
  wants: JsonObject[]
  comes: [number, number, number]
  wears: Parameters<Turning['wears']>[1]
}

/** How long the slow updater takes: long enough to come in between. */
const SLOW_MS = 6_000

/** What is foretold at approval, held against what the managers do, at every turn that a rollout may take. */
export function turnsSuite(get: () => TestCluster, times: Deadlines): void {
  let g: Turning
  let gate: Gate
  let worker: Worker
  const long = times.deadlineMs * 2
  const groups = new Map<string, Group>()
  const failing = new Set<string>()
  let composed: string[] = []

  beforeAll(async () => {
    g = new Turning(get(), times)
    gate = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
    await g.connect()
    await db().managementCluster.update({ where: { id: g.clusterId }, data: { latchForm: 'policy' } })
    const made = async ([key, shapes]: [string, Record<string, Shape>]): Promise<Workload> => {
      const w = await g.workload(`tu-${key}`, { workers: { replicas: 1 } })
      await g.templates(w)
      for (const [name, shape] of Object.entries(shapes)) groups.set(name, await g.group(w, `tu-${name}`, shape))
      return w
    }
    const workloads = await Promise.all(Object.entries(SHAPES).map(made))
    const [all, two, slow] = workloads.map(({ namespace }) => ({ namespaces: [namespace] }))
    worker = await startWorker({ consumers: [registrationConsumer, plannerConsumer], parts: [] })
    await g.addUpdater(200, all)
    composed = [
      await g.addUpdater(200, { ...two, covers: { machine: ['version'] } }),
      await g.addUpdater(200, { ...two, covers: { infrastructure: ['backend.inMemory'] } }),
    ]
    await g.addUpdater(SLOW_MS, { ...slow, failing: (machine) => failing.has(machine) })
    await g.register(gate.url)
    await g.settled(workloads, [...groups.values()], times.deadlineMs)
  }, times.deadlineMs * 4)

  stopAfterwards(() => [worker, gate, g])

  const of = (name: string): Group => groups.get(name)!
  const approve = ({ w, name }: Group, mode: 'in-place' | 'replace', to?: string) => g.approve(w, name, mode, to)
  const change = ({ w, name }: Group, states: string[], to?: string) => g.change(w, name, states, to)
  const wait = { ms: times.deadlineMs, every: 50 }

  /** Approved in place, and the first of its machines is at work. */
  async function begun(group: Group): Promise<string> {
    await g.write(group, version(NEW))
    const { changeId } = await approve(group, 'in-place', NEW)
    await until('the rollout to begin', async () => (await g.at(group, NEW)) > 0, wait)
    return changeId
  }

  async function refusedInPlace(waiting: ChangeRow, why: RegExp): Promise<void> {
    const { id: changeId, fingerprint } = waiting
    expect(outlookIn(waiting)).toMatchObject({ inPlace: null, whyNotInPlace: expect.stringMatching(why) as string })
    const refused = approveChange(ctx, { changeId, fingerprint, mode: 'in-place' })
    await expect(refused).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(why) as string })
  }

  describe.concurrent('which part of a machine changes', () => {
    test.each([
      {
        name: 'infrastructure',
        wants: [infrastructure],
        wears: { version: OLD, startsIn: STARTS_IN },
        comes: [3, 0, 0],
      },
      { name: 'bootstrap', wants: [bootstrap], wears: { version: OLD, command: COMMAND }, comes: [3, 0, 0] },
      {
        ...{ name: 'together', wants: [version(NEW), infrastructure, bootstrap], comes: [2, 1, 1] },
        wears: { version: NEW, startsIn: STARTS_IN, command: COMMAND },
      },
    ] satisfies Part[])(
      '$name: in place',
      async ({ name, wants, wears, comes }) => {
        const group = of(name)
        const before = await g.members(group)
        expectHeld(await g.write(group, ...wants))
        await approve(group, 'in-place')
        const done = await change(group, ['done'])
        await g.asForetold(group, done, before, comes)
        await g.wears(group, wears)
      },
      long,
    )

    test(
      'a field that the updater does not cover, beside one that it does: replaced, all of them',
      async () => {
        const group = of('part')
        const before = await g.members(group)
        await g.write(group, version(NEW), socket)
        await refusedInPlace(await g.uncovered(group), /No updater covers .*criSocket/)
        await approve(group, 'replace')
        await g.asForetold(group, await change(group, ['done']), before, [0, 2, 2])
        await g.wears(group, { version: NEW, criSocket: 'unix:///run/other.sock' })
      },
      long,
    )

    test.each(['composed', 'composed-spare'])(
      'two updaters, each for a part: in place, one after the other on every machine (%s)',
      async (name) => {
        const group = of(name)
        const before = await g.members(group)
        await g.write(group, version(NEW), infrastructure)
        const waiting = await g.approvable(group.w, group.name, 'in-place')
        const covers = Object.fromEntries(
          (waiting.changeSet as unknown as { fields: { object: string; coveredBy?: string }[] }).fields.map((field) => [
            ...([field.object, field.coveredBy] as const),
          ]),
        )
        expect(covers).toEqual({ machine: composed[0], infrastructure: composed[1] })
        await approve(group, 'in-place')
        const done = await change(group, ['done'])
        await g.asForetold(group, done, before, name === 'composed' ? [2, 0, 0] : [2, 1, 1])
        await g.wears(group, { version: NEW, startsIn: STARTS_IN })
        const rows = await db().machineProgress.findMany({ where: { changeId: done.id, state: 'done' } })
        expect(rows.map((row) => row.updatersDone)).toEqual(rows.map(() => composed))
      },
      long,
    )

    test(
      'two updaters and a field of neither: replaced, all of them',
      async () => {
        const group = of('lacking')
        const before = await g.members(group)
        await g.write(group, version(NEW), infrastructure, bootstrap)
        await refusedInPlace(await g.uncovered(group), /No updater covers .*preKubeadmCommands/)
        await approve(group, 'replace')
        await g.asForetold(group, await change(group, ['done']), before, [0, 2, 2])
        await g.wears(group, { version: NEW, startsIn: STARTS_IN, command: COMMAND })
      },
      long,
    )
  })

  describe.concurrent('what no updater is asked about', () => {
    test.each([
      { name: 'after', more: [], wears: OLD },
      { name: 'after-version', more: [version(NEW)], wears: NEW },
    ])(
      '$name: a restart by rollout.after replaces, whatever an updater says',
      async ({ name, more, wears }) => {
        const group = of(name)
        const before = await g.members(group)
        const after = `${new Date().toISOString().slice(0, 19)}Z`
        const template = { spec: Object.assign({}, ...more) as Record<string, string> }
        expectHeld(await g.patch(group, { spec: { rollout: { after }, template } }))
        await refusedInPlace(await change(group, ['waiting']), /spec\.rollout\.after is .* always replaces/)
        await approve(group, 'replace')
        await g.asForetold(group, await change(group, ['done']), before, [0, 2, 2])
        await g.wears(group, { version: wears })
      },
      long,
    )

    test(
      'labels, annotations and timeouts: on all machines at once, held by nobody, and no update',
      async () => {
        const group = of('metadata')
        const before = await g.members(group)
        const sets = async () => {
          const { items } = await get().admin.list(SETS, group.w.namespace, { limit: 100 })
          return names(items.filter((set) => set.metadata.ownerReferences?.[0]?.name === group.name))
        }
        const [had, metadata] = [await sets(), { labels: { team: 'b' }, annotations: { 'example.org/note': 'b' } }]
        const spec = { deletion: { nodeDrainTimeoutSeconds: 30 }, minReadySeconds: 1 }
        expectFree(await g.patch(group, { spec: { template: { metadata, spec } } }))
        const has = (m: { metadata: { labels?: Record<string, string> }; spec?: Record<string, unknown> }) =>
          m.metadata.labels?.team === 'b' && JSON.stringify(m.spec?.deletion).includes('30')
        await until('the labels to be there', async () => (await g.members(group)).every(has), wait)
        await g.staysAsItIs(group, times.watchMs)
        expect((await g.members(group)).map((m) => m.metadata.uid)).toEqual(before.map((m) => m.metadata.uid))
        expect(await sets()).toEqual(had)
        expect(await g.changes(group.w, group.name)).toEqual([])
        expectFree(await g.read(group))
      },
      long,
    )

    test(
      'OnDelete: approved, a machine goes when somebody deletes it, and nothing was foretold',
      async () => {
        const group = of('on-delete')
        const [first, second] = (await g.members(group)).map((m) => m.metadata.name)
        expectHeld(await g.write(group, version(NEW)))
        const waiting = await change(group, ['waiting'])
        await refusedInPlace(waiting, /The strategy is OnDelete/)
        const { headline } = outlookIn(waiting).replace
        expect(headline).toContain('each when somebody deletes it (strategy OnDelete)')
        const { replace } = await forecastChange(ctx, { id: waiting.id })
        expect(replace).toMatchObject({ ends: null, moving: 0, stalled: expect.stringContaining('OnDelete') as string })
        await approve(group, 'replace')
        await change(group, ['running'])
        await g.staysAsItIs(group, times.watchMs)
        const shows =
          (...versions: string[]) =>
          async () =>
            (await g.members(group)).map(versionOf).sort().join() === versions.join() && (await g.at(group, NEW)) >= 0
        await get().admin.delete(MACHINES, first!, group.w.namespace)
        await until('the first to be replaced', shows(OLD, NEW), wait)
        await g.comesToRest(group, times.deadlineMs)
        await g.staysAsItIs(group, times.watchMs)
        expect((await change(group, ['running'])).outcome).toMatchObject({ updatedInPlace: 0, created: 1, deleted: 1 })
        expect(names(await g.members(group))).toContain(second)
        await get().admin.delete(MACHINES, second!, group.w.namespace)
        const done = await change(group, ['done'])
        expect(done.outcome).toMatchObject({ updatedInPlace: 0, created: 2, deleted: 2 })
        expect([done.foretold, done.asForetold, done.decisions[0]!.plan]).toEqual([null, null, null])
        await g.wears(group, { version: NEW })
      },
      long,
    )
  })

  describe.concurrent('in the middle of a rollout in place', () => {
    test(
      'changed again: the approval is void, the one under way ends, the rest is held; then approved anew',
      async () => {
        const group = of('again')
        const before = await g.members(group)
        const changeId = await begun(group)
        expectHeld(await g.write(group, version(NEXT)))
        expect(await change(group, ['waiting'], NEXT)).toMatchObject({ decisions: [] })
        const was = (await g.changes(group.w, group.name)).find(({ id }) => id === changeId)
        expect(was).toMatchObject({ state: 'superseded', decisions: [{ state: 'voided' }] })
        await g.comesToRest(group, times.deadlineMs)
        await g.staysAsItIs(group, times.watchMs)
        expect((await g.members(group)).map(versionOf).sort()).toEqual([OLD, OLD, NEW])
        await approve(group, 'in-place', NEXT)
        await g.asForetold(group, await change(group, ['done'], NEXT), before, [3, 0, 0])
        await g.wears(group, { version: NEXT })
      },
      long,
    )

    test(
      'changed again, and approved while one is still at work on what was wanted before',
      async () => {
        const group = of('again-at-once')
        const before = await g.members(group)
        await begun(group)
        await g.write(group, version(NEXT))
        await approve(group, 'in-place', NEXT)
        await g.asForetold(group, await change(group, ['done'], NEXT), before, [3, 0, 0])
        await g.wears(group, { version: NEXT })
      },
      long,
    )

    test.each(['back', 'rolled'])(
      'changed back: what was begun ends and stays, until going back is approved as well (%s)',
      async (name) => {
        const group = of(name)
        const before = await g.members(group)
        const changeId = await begun(group)
        if (name === 'rolled') await g.rollBack(changeId, times.deadlineMs)
        else await g.write(group, version(OLD))
        expectHeld(await g.read(group))
        const back = await change(group, ['waiting'], OLD)
        expect(back).toMatchObject({ fromVersion: NEW, machines: 1, decisions: [] })
        await g.comesToRest(group, times.deadlineMs)
        await g.staysAsItIs(group, times.watchMs)
        expect((await g.members(group)).map(versionOf).sort()).toEqual([OLD, OLD, NEW])
        await approve(group, 'in-place', OLD)
        await g.asForetold(group, await change(group, ['done'], OLD), before, [1, 0, 0])
        await g.wears(group, { version: OLD })
      },
      long,
    )

    test.each([
      { name: 'up', to: 5, comes: { updatedInPlace: 3, created: 2, deleted: 0 }, right: [3, 5] },
      { name: 'down', to: 2, comes: { updatedInPlace: 2, created: 0, deleted: 2 }, right: [2, 4] },
    ])(
      'scaled $name: played forward from there it comes so, and counts against what was foretold at approval',
      async ({ name, to, comes, right }) => {
        const group = of(name)
        const id = await begun(group)
        const now = await g.playedWith(id, to)
        expectFree(await g.patch(group, { spec: { replicas: to } }))
        const done = await change(group, ['done'], NEW)
        expect(done).toMatchObject({ id, decisions: [{ state: 'seen', plan: { updated: group.replicas } }] })
        expect(done.outcome).toMatchObject({ ...comes, failed: 0 })
        expect(now).toEqual(comes)
        expect([done.asForetold, done.foretold]).toEqual(right)
        // Those that fared otherwise are known by name.
        const rows = await db().machineProgress.findMany({ where: { changeId: id, state: 'deleted' } })
        expect(rows.map(({ predicted }) => predicted)).toEqual(rows.map(() => 'in-place'))
        expect(await g.members(group)).toHaveLength(to)
        await g.wears(group, { version: NEW })
      },
      long,
    )

    test(
      'one machine fails: it stops there and says so, nothing else moves; repaired, it goes on as foretold',
      async () => {
        const group = of('failing')
        const before = await g.members(group)
        await g.write(group, version(NEW))
        const { id } = await g.approvable(group.w, group.name, 'in-place')
        const { inPlace } = await forecastChange(ctx, { id })
        const [first, second, third] = inPlace!.moves.map(({ machine }) => machine)
        failing.add(second!)
        await approve(group, 'in-place')
        // The updater's own words, which Cluster API keeps in its log; the gate has heard them.
        const says = async () => (await change(group, ['stuck'])).stuckReason?.includes(`cannot update ${second}`)
        await until('the failure to be told', says, wait)
        await g.staysAsItIs(group, times.watchMs * 2)
        const versions = new Map((await g.members(group)).map((m) => [m.metadata.name, versionOf(m)]))
        expect(versions).toEqual(new Map([first!, second!, third!].sort().map((m) => [m, m === third ? OLD : NEW])))
        const row = { changeId: id, machineName: second }
        expect(await db().machineProgress.findFirst({ where: row })).toMatchObject({ state: 'failed' })
        expect((await change(group, ['stuck'])).outcome).toMatchObject({ updatedInPlace: 1, created: 0, deleted: 0 })
        failing.delete(second!)
        await g.asForetold(group, await change(group, ['done']), before, [3, 0, 0])
        expectFree(await g.read(group))
      },
      long,
    )
  })
}
