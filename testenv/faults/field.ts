import { afterAll, beforeAll, expect } from 'vitest'
import { EXTENSION_CONFIG, RELEASE } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { closeClients } from '@/lib/services/clusters/connection'
import { installLatch } from '@/lib/services/latch/install-latch'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { Installation } from './installation'
import { GOVERNED } from '../latch'
import { until } from '../process'
import { realTestCluster } from '../real'
import {
  ctx,
  Governing,
  isControlPlane,
  OLD,
  uids,
  versionOf,
  type ChangeRow,
  type UpdaterWish,
  type Workload,
} from '../suites/governing'
import { EXTENSIONS, expectFree, KCP, MD, refusal } from '../suites/watching'
import type { RealTestCluster } from '../test-cluster'

export const TIMES = { deadlineMs: 240_000, watchMs: 6_000 }
export const LONG = 600_000
export const IN_PROGRESS = 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress'

/** A whole Drydock, the real managers, and two clusters of machines: what the suites of faults share. */
export class Field {
  readonly drydock = new Installation()
  cluster!: RealTestCluster
  g!: Governing
  /** Three control plane machines and three workers, updated in place one by one, without surge. */
  w!: Workload
  /** Three control plane machines with surge: an unheld change would show in a second. */
  surging!: Workload
  private version = 0

  async start(updater: UpdaterWish = {}): Promise<void> {
    this.cluster = await realTestCluster()
    await this.drydock.start()
    const g = (this.g = new Governing(this.cluster, TIMES))
    await g.connect()
    const [labelKey, labelValue] = Object.entries(GOVERNED)[0]!
    await installLatch(ctx, { clusterId: g.clusterId, governs: 'namespace-label', labelKey, labelValue })
    await g.addUpdater(2_500, updater)
    await g.register(this.drydock.gateUrl)
    ;[this.w, this.surging] = await Promise.all([
      g.workload('fw', {
        controlPlane: { replicas: 3, maxSurge: 0 },
        workers: { replicas: 3, maxSurge: 0, maxUnavailable: 1 },
      }),
      g.workload('fs', { controlPlane: { replicas: 3, maxSurge: 1 } }),
    ])
  }

  /** Whoever comes next in this environment registers a gate of its own. Drydock first: it would put the registration back. */
  async stop(): Promise<void> {
    const { cluster } = this
    await this.drydock.stop()
    const gone = async () => [200, 404].includes((await refusal(this.unregister())).code)
    if (cluster) await until('the registration to be gone', gone, { ms: 60_000 })
    await this.g?.stop()
    await closeUpdaters()
    await closeClients()
    await cluster?.stop()
  }

  /** Somebody deletes the registration, and says that they mean it. */
  async unregister(): Promise<void> {
    const metadata = { annotations: { [RELEASE]: 'by mistake' } }
    await this.cluster.admin.patch(EXTENSIONS, EXTENSION_CONFIG, undefined, 'merge', { metadata })
    await this.cluster.admin.delete(EXTENSIONS, EXTENSION_CONFIG)
  }

  /** A version that nobody has had. */
  next(): string {
    return `v1.34.${++this.version}`
  }

  get all(): Workload[] {
    return [this.w, this.surging]
  }

  private groups(): [Workload, string][] {
    const { w, surging } = this
    return [
      [w, w.machineDeployment],
      [w, w.controlPlane],
      [surging, surging.controlPlane],
    ]
  }

  async changeAll(to: string): Promise<void> {
    await this.g.changeWorkers(this.w, to)
    await this.g.changeControlPlane(this.w, to)
    await this.g.changeControlPlane(this.surging, to)
  }

  async nothingMoves(ms = TIMES.watchMs): Promise<void> {
    await Promise.all(this.all.map((one) => this.g.nothingMoves(one, ms)))
  }

  waiting(to: string): Promise<ChangeRow[]> {
    return Promise.all(this.groups().map(([one, group]) => this.g.change(one, group, ['waiting'], to)))
  }

  /** Makes the controllers look, and ask, again. */
  async nudge(): Promise<void> {
    const { admin } = this.cluster
    const metadata = { annotations: { nudged: String(Date.now()) } }
    await admin.patch(MD, this.w.machineDeployment, this.w.namespace, 'merge', { metadata })
    for (const one of this.all) await admin.patch(KCP, one.controlPlane, one.namespace, 'merge', { metadata })
  }

  /** How many machines of the control plane, or else of the workers, are so. */
  async count(controlPlane: boolean, what: (m: KubeObject) => boolean): Promise<number> {
    return (await this.g.machines(this.w)).filter((m) => isControlPlane(m) === controlPlane && what(m)).length
  }

  /** Approves both groups of `w` in place. */
  async approveBoth(to: string): Promise<void> {
    const { g, w } = this
    await Promise.all([g.approve(w, w.machineDeployment, 'in-place', to), g.approve(w, w.controlPlane, 'in-place', to)])
  }

  /** The workers want a version that nobody has had, are approved in place, and have begun; which one. */
  async workersUnderWay(): Promise<string> {
    const { g, w } = this
    const to = this.next()
    await g.changeWorkers(w, to)
    await g.approve(w, w.machineDeployment, 'in-place', to)
    await this.underWay(to, { workers: true })
    return to
  }

  async inPlaceDone(group: string, to: string): Promise<void> {
    const { outcome } = await this.g.change(this.w, group, ['done'], to)
    expect(outcome).toMatchObject({ updatedInPlace: 3, created: 0, deleted: 0 })
  }

  /** Both groups of `w` are through, on the very machines that were there. */
  async bothInPlaceDone(to: string): Promise<void> {
    await Promise.all([this.inPlaceDone(this.w.machineDeployment, to), this.inPlaceDone(this.w.controlPlane, to)])
    await this.sameMachines()
  }

  async sameMachines(): Promise<void> {
    expect(uids(await this.g.machines(this.w))).toEqual(uids(this.w.before))
  }

  /** So many groups have begun, and none is through. */
  async underWay(to: string, groups: { controlPlane?: boolean; workers?: boolean }): Promise<void> {
    const begun = (m: KubeObject) => versionOf(m) === to
    const has = async (controlPlane: boolean) => (await this.count(controlPlane, begun)) > 0
    await until(
      'the rollout to be under way',
      async () => (!groups.controlPlane || (await has(true))) && (!groups.workers || (await has(false))),
      { ms: TIMES.deadlineMs, every: 50 },
    )
  }

  /**
   * Watches: the same machines to the last, none of them going, and nothing of what nobody approved. `stands`: what had not
   * begun does not begin, either.
   */
  async onlyWhatWasApproved(to: string, stands: boolean): Promise<void> {
    const { g, surging, w } = this
    const shape = async () => (await g.machines(surging)).map((m) => `${m.metadata.uid} ${versionOf(m)}`).sort()
    const [before, held] = [uids(await g.machines(w)), await shape()]
    const end = Date.now() + 2 * TIMES.watchMs
    await until(
      'the time of watching to pass',
      async () => {
        expect(await shape()).toEqual(held)
        const now = await g.machines(w)
        expect(uids(now)).toEqual(before)
        expect(now.filter((m) => m.metadata.deletionTimestamp)).toEqual([])
        return Date.now() >= end
      },
      { ms: 120_000, every: 100, rethrow: true },
    )
    if (!stands) return
    const old = (m: KubeObject) => versionOf(m) !== to
    expect(await this.count(true, old)).toBeGreaterThan(0)
    expect(await this.count(false, old)).toBeGreaterThan(0)
  }

  async revertSurging(): Promise<void> {
    const { g, surging } = this
    await g.changeControlPlane(surging, OLD)
    await until('the hold to be gone', async () => (expectFree(await g.kcp(surging)), true), { ms: TIMES.deadlineMs })
    expect(uids(await g.machines(surging))).toEqual(uids(surging.before))
  }
}

/** One for the tests of a file, or of a `describe`. */
export function useField(updater?: UpdaterWish): Field {
  const field = new Field()
  beforeAll(() => field.start(updater), LONG)
  afterAll(() => field.stop(), 120_000)
  return field
}
