import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { startReferenceUpdater, nodePatcher, type RunningUpdater, type UpdaterOptions } from '@/examples/updater'
import { db } from '@/lib/db/client'
import type { Change, Decision } from '@/lib/db/generated/client'
import type { GroupKind } from '@/lib/domain/capabilities'
import { NOT_YET } from '@/lib/domain/changes/outlook'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { outlookIn, type DecisionDto } from '@/lib/services/changes/change-row'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { systemCtx } from '@/lib/services/context'
import { gateAnswers } from '@/lib/services/gate/answers'
import { registerGate } from '@/lib/services/gate/register-gate'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { makeAuthority, makeLeaf, type Pair } from '@/worker/gate/certificates'
import { applyLatch, GOVERNED, untilLatched } from '../latch'
import { until } from '../process'
import type { TestCluster, WorkloadClusterOptions } from '../types'
import { EXTENSIONS, KCP, MD } from './watching'

export const ctx = systemCtx('suite')
export const OLD = 'v1.34.0'

export const names = (machines: KubeObject[]): string[] => machines.map((m) => m.metadata.name).sort()
export const uids = (machines: KubeObject[]): string[] => machines.map((m) => m.metadata.uid).sort()
export const versionOf = (machine: KubeObject): string => String(machine.spec?.version)
export const isControlPlane = (m: KubeObject): boolean => 'cluster.x-k8s.io/control-plane' in (m.metadata.labels ?? {})

export interface Deadlines {
  /** Long enough for the slowest rollout of three machines. */
  deadlineMs: number
  /** How long nothing may move before a hold is believed. */
  watchMs: number
}

export interface Workload {
  namespace: string
  name: string
  controlPlane: string
  machineDeployment: string
  before: KubeObject[]
}

export interface UpdaterWish extends Pick<UpdaterOptions, 'covers' | 'failing'> {
  namespaces?: string[]
  /** Something that Drydock asks in its place. */
  before?: (url: string, caPem: string, tls: Pair) => Promise<RunningUpdater>
}

export type ChangeRow = Change & { decisions: Decision[] }

/** A connected, latched management cluster with the reference updater: what the suites of the gate share. */
export class Governing {
  clusterId = ''
  private readonly updaters: RunningUpdater[] = []

  constructor(
    readonly cluster: TestCluster,
    protected readonly times: Deadlines,
  ) {}

  /** Connects the cluster and latches the namespaces that are governed. */
  async connect(): Promise<void> {
    const { cluster } = this
    const name = `suite-${randomBytes(4).toString('hex')}`
    this.clusterId = (await addCluster(ctx, { name, kubeconfig: cluster.kubeconfig })).clusterId
    const [labelKey, labelValue] = Object.entries(GOVERNED)[0]!
    await db().policy.update({
      where: { clusterId: this.clusterId },
      data: { governs: 'namespace-label', labelKey, labelValue },
    })
    await applyLatch(cluster.admin)
  }

  /** What the keeper would say of the latch, in suites that go without it: all of their time. */
  async latched(watched = false): Promise<void> {
    const latchCheckedAt = new Date(Date.now() + 86_400_000)
    const data = {
      ...{ latchForm: 'policy', latchStatus: { state: 'intact' }, latchCheckedAt },
      ...(watched ? { watchSince: new Date() } : {}),
    }
    await db().managementCluster.update({ where: { id: this.clusterId }, data })
  }

  /** Returns its name. `namespaces`: it is for the groups there only. */
  async addUpdater(delayMs: number, { namespaces, before, ...more }: UpdaterWish = {}): Promise<string> {
    const authority = await makeAuthority()
    const tls = await makeLeaf(authority, ['127.0.0.1', 'localhost'])
    const updater = await startReferenceUpdater({
      host: '127.0.0.1',
      port: 0,
      tls,
      delayMs,
      onNode: nodePatcher(this.cluster.adminKubeconfig),
      ...more,
    })
    this.updaters.push(updater)
    const asked = before ? await before(updater.url, authority.certPem, tls) : updater
    if (before) this.updaters.push(asked)
    const name = `reference-${randomBytes(4).toString('hex')}`
    const groups = namespaces && { groups: { namespaces } }
    await addUpdater(ctx, {
      ...{ name, url: asked.url, caPem: authority.certPem, clusterId: this.clusterId },
      ...groups,
    })
    return name
  }

  async register(url: string): Promise<void> {
    await registerGate(ctx, { clusterId: this.clusterId, url })
    await until('the managers to discover the gate', () => this.discovered(), { ms: 60_000, every: 100 })
  }

  /** The manager of control planes learns of a registration, and of each renewal, after the other one. */
  private async asked(groupKind: string): Promise<void> {
    const known = async () => (await gateAnswers(this.clusterId, groupKind as GroupKind)).ok
    await until('the managers to know the gate', known, { ms: 60_000, every: 250 })
  }

  async discovered(): Promise<boolean> {
    const found = await this.cluster.admin.get(EXTENSIONS, 'drydock')
    return JSON.stringify(found.status ?? {}).includes('"updatemachine.drydock"')
  }

  async stop(): Promise<void> {
    await Promise.all(this.updaters.map((updater) => updater.stop()))
  }

  /** A workload cluster in a namespace of its own, governed unless labelled otherwise, running OLD. */
  async workload(
    name: string,
    options: Partial<WorkloadClusterOptions> = {},
    labels: Record<string, string> = GOVERNED,
  ): Promise<Workload> {
    const { cluster } = this
    const namespace = await cluster.namespace(labels)
    const made = await cluster.workloadCluster({
      ...{ namespace, name, version: OLD, controlPlane: { replicas: 1 } },
      ...options,
    })
    if (labels === GOVERNED) await untilLatched(cluster.admin, namespace, made.machineDeployment)
    return { namespace, name, ...made, before: await cluster.machines(namespace, name) }
  }

  /** The planner has seen both groups as they are: what they may be changed back to without anybody's approval. */
  async known(w: Workload): Promise<void> {
    const where = { clusterId: this.clusterId, namespace: w.namespace, letGo: { not: null } }
    await until('the planner to know the groups', async () => (await db().group.count({ where })) === 2, { ms: 60_000 })
  }

  machines(w: Workload): Promise<KubeObject[]> {
    return this.cluster.machines(w.namespace, w.name)
  }

  changeWorkers(w: Workload, version: string): Promise<KubeObject> {
    const body = { spec: { template: { spec: { version } } } }
    return this.cluster.admin.patch(MD, w.machineDeployment, w.namespace, 'merge', body)
  }

  changeControlPlane(w: Workload, version: string): Promise<KubeObject> {
    return this.cluster.admin.patch(KCP, w.controlPlane, w.namespace, 'merge', { spec: { version } })
  }

  deployment = (w: Workload): Promise<KubeObject> => this.cluster.admin.get(MD, w.machineDeployment, w.namespace)
  kcp = (w: Workload): Promise<KubeObject> => this.cluster.admin.get(KCP, w.controlPlane, w.namespace)

  /** The group's changes, newest first. */
  changes(w: Workload, group: string): Promise<ChangeRow[]> {
    return db().change.findMany({
      where: { clusterId: this.clusterId, namespace: w.namespace, groupName: group },
      orderBy: { detectedAt: 'desc' },
      include: { decisions: { orderBy: { recordedAt: 'desc' } } },
    })
  }

  /** The group's newest change, once it is in one of the states (and goes to the version, where one is named). */
  async change(w: Workload, group: string, states: string[], to?: string): Promise<ChangeRow> {
    let found: ChangeRow | null = null
    const wanted = () => found !== null && states.includes(found.state) && (!to || found.toVersion === to)
    try {
      await until(
        'the change',
        async () => {
          found = (await this.changes(w, group))[0] ?? null
          return wanted()
        },
        { ms: this.times.deadlineMs, every: 100 },
      )
    } catch (error) {
      const last = (found ?? {}) as Partial<ChangeRow>
      const seen = `${last.summary} is ${last.state}: ${last.stuckReason ?? JSON.stringify(last.outcome)}`
      const decided = (last.decisions ?? []).map((d) => `${d.mode} ${d.state}: ${d.error ?? 'no error'}`).join('; ')
      throw new Error(`${group} was to be ${states.join(' or ')}, but ${seen} (${decided})`, { cause: error })
    }
    return found!
  }

  /** The waiting change, for in place once the updater has said what it covers. */
  async approvable(w: Workload, group: string, mode: 'in-place' | 'replace', to?: string): Promise<ChangeRow> {
    let change = await this.change(w, group, ['waiting'], to)
    const possible = async () => {
      change = await this.change(w, group, ['waiting'], to)
      return mode === 'replace' || outlookIn(change).inPlace !== null
    }
    const limits = { ms: 90_000, every: 100, rethrow: true }
    await until(`the updater to have been asked about ${group}`, possible, limits).catch((error: Error) => {
      throw new Error(`${error.message} ${outlookIn(change).whyNotInPlace ?? ''}`, { cause: error })
    })
    if (mode === 'in-place') await this.asked(change.groupKind)
    return change
  }

  async approve(
    w: Workload,
    group: string,
    mode: 'in-place' | 'replace',
    to?: string,
    more: { oneByOne?: boolean } = {},
  ): Promise<DecisionDto> {
    const { id, fingerprint, heldBy } = await this.approvable(w, group, mode, to)
    // Asked for where control plane machines are deleted, and passed over elsewhere.
    const give = () => approveChange(ctx, { changeId: id, fingerprint, mode, typedName: group, ...more })
    // A worker that has just begun plans before it has asked.
    const decided = await give().catch(async (error: Error) => {
      if (!error.message.includes(NOT_YET)) throw error
      await this.approvable(w, group, mode, to)
      return give()
    })
    // What a managed Cluster has not handed down yet goes when Cluster API asks.
    const state = heldBy === 'hook' ? 'gathering' : expect.stringMatching(/accepted|seen/)
    expect(decided).toMatchObject({ state, error: null })
    return decided
  }

  /** Watches, and finds the very same machines with the very same versions all the time. */
  async nothingMoves(w: Workload, ms = this.times.watchMs): Promise<void> {
    const shape = (all: KubeObject[]) => all.map((m) => `${m.metadata.uid} ${versionOf(m)}`).sort()
    const before = shape(await this.machines(w))
    const end = Date.now() + ms
    await until(
      'the time of watching to pass',
      async () => {
        const now = await this.machines(w)
        expect(shape(now)).toEqual(before)
        expect(now.filter((m) => m.metadata.deletionTimestamp).length).toBe(0)
        return Date.now() >= end
      },
      { ms: ms + 60_000, every: 100, rethrow: true },
    )
  }
}
