import { randomInt } from 'node:crypto'
import type { JsonObject } from '../../lib/domain/json'
import type { SandboxObject, Store, WriteAs } from '../types'
import type { Cache } from './cache'
import type { Clock } from './clock'
import { patchConditions, type Wanted } from './conditions'
import type { Hooks } from './hooks'
import { has, json, keyOf, type Condition } from './kinds'
import { ANNOTATION } from './names'
import type { Nodes } from './nodes'

/** What every controller works with. */
export interface Env {
  store: Store
  cache: Cache
  clock: Clock
  hooks: Hooks
  nodes: Nodes
  gates: { inPlaceUpdates: boolean; runtimeSdk: boolean }
  /** Asks a controller to look at an object again although nothing about it changed. */
  enqueue(resource: string, key: string): void
}

const account = (namespace: string, name: string, fieldManager: string): WriteAs => ({
  user: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  fieldManager,
})

export const AS = {
  core: account('capi-system', 'capi-manager', 'manager'),
  machineSet: account('capi-system', 'capi-manager', 'capi-machineset'),
  machineDeployment: account('capi-system', 'capi-manager', 'capi-machinedeployment'),
  topology: account('capi-system', 'capi-manager', 'capi-topology'),
  bootstrap: account('capi-kubeadm-bootstrap-system', 'capi-kubeadm-bootstrap-manager', 'manager'),
  controlPlane: account(
    'capi-kubeadm-control-plane-system',
    'capi-kubeadm-control-plane-manager',
    'capi-kubeadmcontrolplane',
  ),
  deployment: account('kube-system', 'deployment-controller', 'kube-controller-manager'),
  infrastructure: account('capd-system', 'capd-manager', 'manager'),
} as const

interface WithStatus {
  metadata: SandboxObject['metadata']
  status?: { conditions?: Condition[] }
}

/** Replaces the whole status: what is not in `wanted` any more goes. Other writers' blocks (`deprecated`) stay. */
export async function writeStatus(env: Env, resource: string, object: WithStatus, wanted: object, as: WriteAs) {
  const status: JsonObject = json(wanted)
  for (const key of Object.keys(object.status ?? {})) if (!(key in status) && key !== 'deprecated') status[key] = null
  if (Object.keys(status).every((key) => same(status[key], (object.status as JsonObject | undefined)?.[key]))) return
  await env.store.merge(resource, keyOf(object), { status }, as, 'status')
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

export async function writeConditions(env: Env, resource: string, object: WithStatus, wanted: Wanted[], as: WriteAs) {
  const conditions = patchConditions(object.status?.conditions, wanted, object.metadata.generation)
  if (same(conditions, object.status?.conditions)) return
  await env.store.merge(resource, keyOf(object), json({ status: { conditions } }), as, 'status')
}

export const NOT_PAUSED: Wanted = { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' }

/** Whether a controller must leave this object alone; the object then says so itself. */
export async function heldByPause(env: Env, resource: string, object: WithStatus, cluster: string, as: WriteAs) {
  const paused = env.cache.cluster(object.metadata.namespace, cluster)?.spec.paused === true
  const annotated = has(object, ANNOTATION.paused)
  if (!paused && !annotated) return false
  const why = [
    ...(paused ? ['Cluster spec.paused is set to true'] : []),
    ...(annotated ? [`${kindOf(resource)} has the ${ANNOTATION.paused} annotation`] : []),
  ]
  await writeConditions(
    env,
    resource,
    object,
    [{ type: 'Paused', status: 'True', reason: 'Paused', message: why.join(', ') }],
    as,
  )
  return true
}

const KINDS: Record<string, string> = {
  'machines.cluster.x-k8s.io': 'Machine',
  'machinesets.cluster.x-k8s.io': 'MachineSet',
  'machinedeployments.cluster.x-k8s.io': 'MachineDeployment',
  'clusters.cluster.x-k8s.io': 'Cluster',
  'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io': 'KubeadmControlPlane',
}
const kindOf = (resource: string) => KINDS[resource] ?? resource

/** Five characters as generated names end in. */
export const suffix = () => Array.from({ length: 5 }, () => 'bcdfghjklmnpqrstvwxz2456789'[randomInt(27)]).join('')
