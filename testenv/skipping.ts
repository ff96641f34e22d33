import { beforeEach, expect } from 'vitest'
import { db } from '@/lib/db/client'
import { SKIP_MARK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { skipRemediation } from '@/lib/services/remediation/skip-remediation'
import { skipWhereAsked } from '@/worker/remediation/skip'
import type { ClusterView } from '@/worker/types'
import type { Held } from './held'
import { ada, timedCluster } from './timed'

const MACHINES = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' }

/** A change that waits, with one machine of its group on a simulated cluster, and its row; the rounds are run by hand. */
export function skippingCluster() {
  const { at, view } = timedCluster()
  let held: Held
  let machine: KubeObject
  const input = () => ({ changeId: held.change.id })

  beforeEach(async () => {
    await db().machine.deleteMany({})
    held = await at.held()
    const { name } = held
    const all = await at.cluster.machines(held.namespace, name.replace(/-md$/, ''))
    machine = all.find((m) => m.metadata.labels?.['cluster.x-k8s.io/deployment-name'] === name)!
  })

  const read = () => at.cluster.admin.get(MACHINES, machine.metadata.name, held.namespace)
  const annotate = (annotations: Record<string, string | null>) =>
    at.cluster.admin.patch(MACHINES, machine.metadata.name, held.namespace, 'merge', { metadata: { annotations } })
  async function marks(): Promise<Record<string, string>> {
    const of = Object.entries((await read()).metadata.annotations ?? {})
    return Object.fromEntries(of.filter(([key]) => key === SKIPS_REMEDIATION || key === SKIP_MARK))
  }
  const ours = () => ({ [SKIPS_REMEDIATION]: 'drydock', [SKIP_MARK]: held.change.id })

  /** The row as the watch would show the machine now. */
  async function look(more: object = {}): Promise<void> {
    const { clusterId, groupKind, groupName, namespace, workloadCluster } = held.change
    const { metadata } = await read()
    const annotations = metadata.annotations ?? {}
    const seen = {
      skipRemediation: SKIPS_REMEDIATION in annotations,
      skipMark: annotations[SKIP_MARK] ?? null,
      ...more,
    }
    await db().machine.upsert({
      where: { id: metadata.uid },
      create: {
        ...{ clusterId, groupKind, groupName, namespace, workloadCluster, id: metadata.uid, name: metadata.name },
        ...{
          provider: 'cluster.x-k8s.io',
          phase: 'Running',
          state: 'ready',
          sentence: '',
          ready: true,
          available: true,
        },
        ...{ upToDate: false, verdict: 'in-place', resourceVersion: '1', createdAt: new Date(), ...seen },
      },
      update: seen,
    })
  }
  const is = (data: object) => db().change.update({ where: { id: held.change.id }, data })
  const fares = (data: { state: string; startedAt?: Date | null; finishedAt?: Date | null }) =>
    db().machineProgress.upsert({
      where: { changeId_machineId: { changeId: held.change.id, machineId: machine.metadata.uid } },
      create: {
        ...{ changeId: held.change.id, machineId: machine.metadata.uid, machineName: machine.metadata.name },
        ...{ predicted: 'in-place', ...data },
      },
      update: data,
    })
  async function letGo(): Promise<void> {
    await db().decision.create({
      data: {
        ...{ changeId: held.change.id, fingerprint: 'f', mode: 'in-place', actorId: 'ada', actorName: 'Ada' },
        ...{ state: 'accepted', acceptedAt: new Date() },
      },
    })
    await is({ state: 'running' })
  }
  async function round(of?: ClusterView, refused = new Map<string, number>()): Promise<void> {
    await skipWhereAsked(of ?? (await view()), refused)
  }
  /** Asked for, let go, and written. */
  async function marked(): Promise<void> {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    await round()
    expect(await marks()).toEqual(ours())
    await look()
  }
  const with_ = async (client: Partial<KubeClient>): Promise<ClusterView> => {
    const mine = await view()
    return { ...mine, client: Object.assign(Object.create(mine.client) as KubeClient, client) }
  }
  return {
    ...{ at, view, input, read, annotate, marks, ours, look, is, fares, letGo, round, marked, with_ },
    get held() {
      return held
    },
    get machine() {
      return machine
    },
  }
}
