import { outlookOf, verdictOf, type OutlookInput, type RevisionPair } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changeOf, type ObjectSource } from '@/lib/providers/cluster-api/changes'

/** From objects in memory to change sets, verdicts and outlooks: what a new version for every group costs the worker. */
export async function plan(machines: number): Promise<Record<string, number>> {
  const result: Record<string, number> = {}
  for (const [name, groups] of Object.entries({ many: Math.max(1, Math.round(machines / 100)), few: 3 })) {
    const fleet = Array.from({ length: groups }, (_, i) => groupOf(i, Math.round(machines / groups)))
    await planned(fleet)
    const before = process.memoryUsage().heapUsed
    const times: number[] = []
    for (let i = 0; i < 5; i++) times.push(await planned(fleet))
    result[`${name}Groups`] = groups
    result[`${name}Ms`] = Math.round(times.sort((a, b) => a - b)[2]!)
    result[`${name}HeapMb`] = Math.round((process.memoryUsage().heapUsed - before) / 104_857.6) / 10
  }
  return result
}

interface Made {
  group: KubeObject
  source: ObjectSource
}

async function planned(fleet: Made[]): Promise<number> {
  const start = performance.now()
  for (const { group, source } of fleet) {
    const change = await changeOf(group, source)
    const pairs: RevisionPair[] = change.pairs.map(({ pair }) => pair)
    const input: OutlookInput = {
      group: { kind: 'MachineDeployment', name: group.metadata.name, replicas: change.replicas },
      ...{ strategy: change.strategy, machines: change.replicas, pairs },
      coverage: new Map(pairs.map(({ from }) => [from, { uncovered: [] }])),
    }
    const outlook = outlookOf(input)
    if (!outlook.inPlace || pairs.some((pair) => verdictOf(pair, input).verdict !== 'in-place'))
      throw new Error('The plan is not what it should be.')
  }
  return performance.now() - start
}

/** A deployment with a set of the old version, another version wanted, and templates with a screenful of fields each. */
function groupOf(index: number, replicas: number): Made {
  const name = `md-${index}`
  const ref = (kind: string) => ({ apiGroup: 'x.cluster.x-k8s.io', kind, name })
  const spec = (version: string): JsonObject => ({
    ...{ clusterName: 'c', version, infrastructureRef: ref('BenchMachineTemplate') },
    bootstrap: { configRef: ref('BenchConfigTemplate') },
  })
  const object = (kind: string, uid: string, rest: JsonObject): KubeObject => ({
    ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind },
    metadata: { name: uid, namespace: 'fleet', uid, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    ...rest,
  })
  const rollout = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }
  const group = object('MachineDeployment', name, {
    spec: { replicas, rollout, template: { spec: spec('v1.34.2') } },
  })
  const set = object('MachineSet', `${name}-a`, {
    ...{ spec: { replicas, template: { spec: spec('v1.34.1') } }, status: { replicas } },
  })
  const fields = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`field${i}`, { value: i, list: ['a', 'b', { c: i }] }]),
  )
  const template = object('Template', `${name}-t`, { spec: { template: { spec: fields } } })
  const source: ObjectSource = {
    machineSets: () => Promise.resolve([set]),
    machines: () => Promise.resolve([]),
    template: () => Promise.resolve(template),
    live: () => Promise.resolve(null),
    letGo: () => Promise.resolve(null),
    forget: () => undefined,
  }
  return { group, source }
}
