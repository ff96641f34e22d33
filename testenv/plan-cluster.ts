import { randomBytes } from 'node:crypto'
import { stringify } from 'yaml'
import { afterAll, beforeAll, expect } from 'vitest'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { planChange } from '@/lib/services/plan/plan-change'
import type { PlanDocument, PlanResult } from '@/lib/services/plan/types'
import { plannerConsumer } from '@/worker/planner'
import { startWorker, type Worker } from '@/worker/worker'
import { as, latchedCluster } from './deciding'
import { MD } from './held'
import { GOVERNED } from './latch'
import { until } from './process'

export const operator = as('operator')

export interface Deployment extends JsonObject {
  replicas: number
  template: { spec: { version: string; bootstrap: JsonObject; infrastructureRef: JsonObject } }
}

/** A simulated management cluster with one workload cluster of two workers, its worker, and manifests to plan there. */
export function planningCluster(topology = false) {
  const at = latchedCluster()
  const w = { namespace: '', name: '' }
  let worker: Worker
  beforeAll(async () => {
    w.namespace = await at.cluster.namespace(GOVERNED)
    w.name = `w${randomBytes(3).toString('hex')}`
    await at.cluster.workloadCluster({
      ...{ ...w, version: 'v1.34.0', topology },
      controlPlane: { replicas: 1 },
      workers: { replicas: 2, maxSurge: 0, maxUnavailable: 1 },
    })
    worker = await startWorker({ consumers: [plannerConsumer], parts: [] })
    const there = async () => (await db().machine.count()) === 3 && (await db().group.count()) === 2
    await until('the rows', there, { ms: 30_000 })
  })
  afterAll(async () => worker?.stop())

  const plan = (manifests: string): Promise<PlanResult> => planChange(operator, { clusterId: at.clusterId, manifests })
  return {
    at,
    w,
    plan,
    only: async (manifests: string): Promise<PlanDocument> => {
      const { documents } = await plan(manifests)
      expect(documents).toHaveLength(1)
      return documents[0]!
    },
    groupId: async (name: string): Promise<string> => (await db().group.findFirstOrThrow({ where: { name } })).id,
    deployment: async (): Promise<Deployment> => {
      const live = await at.cluster.admin.get(MD, `${w.name}-md`, w.namespace)
      return structuredClone(live.spec) as Deployment
    },
    md: (spec: JsonObject, name = `${w.name}-md`): string =>
      stringify({
        ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment' },
        metadata: { name, namespace: w.namespace },
        spec,
      }),
  }
}
