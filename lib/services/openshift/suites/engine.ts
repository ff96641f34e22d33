import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources } from '@/sandbox/openshift'
import type { SandboxObject } from '@/sandbox/types'
import { addCluster } from '../../clusters/add-cluster'
import { closeClients } from '../../clusters/connection'
import type { Ctx } from '../../context'
import type { ServiceError } from '../../errors'
import type { ActionDto } from '../action-row'
import { kinds } from '../kinds'
import { CLUSTER_CONFIGURATION } from '../kinds/skew'
import { recordAndApply, type NewAction } from '../record-action'
import { ALL, inSteps, STEPS } from './kind'

export const ctx: Ctx = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'admin' } }
const MC = 'machineconfigurations.operator.openshift.io'
export const OPERATOR = { user: 'operator', groups: ['system:masters'], fieldManager: 'machine-config-operator' }
export const GITOPS = { user: 'argo', groups: ['system:masters'], fieldManager: 'argocd-controller' }

let server: RunningApiServer
let clusterId = ''

export const cluster = { server: () => server, id: () => clusterId }
export const live = (): SandboxObject => server.store.get(MC, 'cluster')!
export const generation = (): number => live().metadata.generation ?? 0
export const spec = () => live().spec as { bootImageSkewEnforcement?: JsonObject; managedBootImages: JsonObject }
export const write = (stanza: JsonObject, as = OPERATOR) => server.store.merge(MC, 'cluster', { spec: stanza }, as)
const report = (status: JsonObject) => server.store.merge(MC, 'cluster', { status }, OPERATOR, 'status')

/** What the operator writes when it has taken the specification up. */
export async function operatorSays(mode: 'Automatic' | 'Manual'): Promise<void> {
  const recorded = { ocpVersion: '4.16.0', rhcosVersion: null }
  const of =
    mode === 'Manual'
      ? { mode, manual: { mode: 'OCPVersion', ...recorded }, automatic: null }
      : { mode, automatic: recorded, manual: null }
  await report({
    ...{ observedGeneration: generation(), bootImageSkewEnforcementStatus: of, managedBootImagesStatus: ALL },
  })
}

/** Writes a status that is another one, as the operator does while it is at work. */
export async function operatorWorks(): Promise<void> {
  const lastTransitionTime = new Date().toISOString()
  const condition = { type: 'Progressing', status: 'True', reason: 'Working', lastTransitionTime }
  await report({ conditions: [{ ...condition, message: `resourceVersion was ${live().metadata.resourceVersion}` }] })
}

export const wanted = (more: Partial<NewAction> = {}): NewAction => ({
  ...{ clusterId, kind: inSteps.kind, target: CLUSTER_CONFIGURATION, action: 'none', steps: STEPS },
  looked: { resourceVersion: live().metadata.resourceVersion, generation: generation(), uid: live().metadata.uid },
  audit: { action: 'in-steps.decided', details: {} },
  ...more,
})
export const begin = (more?: Partial<NewAction>): Promise<ActionDto> => recordAndApply(ctx, wanted(more))
export const row = (id: string): Promise<OpenShiftAction> => db().openShiftAction.findUniqueOrThrow({ where: { id } })
export const stateOf = async (id: string): Promise<string> => (await row(id)).state
export const until = (check: () => unknown) => expect.poll(check, { timeout: 20_000, interval: 25 })
export const events = async (id: string): Promise<string[]> =>
  (await db().auditEvent.findMany({ where: { targetId: id }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )
export const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )

/**
 * A cluster whose operator is the test itself: Automatic, and all machine sets managed before each test. From there managing
 * none takes two steps.
 */
export function beforeEngineTests(): void {
  useTestDatabase()
  beforeAll(async () => {
    kinds.set(inSteps.kind, inSteps)
    server = await startApiServer({
      ...{ version: 'v1.35.4', families: ['openshift'], resources: openShiftResources(), objects: openShiftFleet() },
      users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
    })
    clusterId = (await addCluster(ctx, { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })).clusterId
  })
  afterAll(async () => {
    kinds.delete(inSteps.kind)
    await closeClients()
    await server?.stop()
  })
  beforeEach(async () => {
    await report({ bootImageSkewEnforcementStatus: null })
    await write({ bootImageSkewEnforcement: null, managedBootImages: ALL })
    await operatorSays('Automatic')
  })
  afterEach(async () => {
    server.faults.reset(false)
    server.faults.fail(0)
    server.faults.slow(0)
    inSteps.shown = null
    await db().openShiftAction.deleteMany()
  })
}
