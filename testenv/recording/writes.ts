import { ANNOTATION } from '@/sandbox/controllers/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { replicasOf, type History } from './history'

/** A write of the MachineDeployment controller to a MachineSet; nobody else changes these. */
export interface Write {
  revision: number
  set: string
  /** Absent: it was made. */
  before?: KubeObject
  after: KubeObject
}

/** In the order in which the manager names them. */
export const STEERING = [
  ANNOTATION.revision,
  ANNOTATION.moveTo,
  ANNOTATION.receiveFrom,
  ANNOTATION.acknowledged,
  ANNOTATION.disableCreate,
] as const

/** What steers a rollout on a MachineSet: "key: value". */
export const steering = ({ metadata: { annotations } }: KubeObject): string[] =>
  STEERING.flatMap((key) => (annotations?.[key] === undefined ? [] : [`${key}: ${annotations[key]}`]))

/** The difference as the manager logs it. */
export function diffOf(before: KubeObject, after: KubeObject): string {
  const value = (object: KubeObject, key: string) => object.metadata.annotations?.[key]
  const changed = STEERING.filter((key) => value(before, key) !== value(after, key))
  const replicas = replicasOf(before) === replicasOf(after) ? [] : [`replicas ${replicasOf(after)}`]
  const now = (key: string) => (value(after, key) === undefined ? `${key} removed` : `${key}: ${value(after, key)}`)
  return [...replicas, ...changed.map(now)].join()
}

/** All of them after a revision, in their order. */
export function writesIn(history: History, from: number): Write[] {
  const last = new Map<string, KubeObject>()
  const writes: Write[] = []
  for (const { revision, object, gone } of history.of('set')) {
    const { name: set } = object.metadata
    const before = last.get(set)
    last.set(set, object)
    if (revision <= from || gone) continue
    if (before && diffOf(before, object) === '') continue
    writes.push({ revision, set, after: object, ...(before ? { before } : {}) })
  }
  return writes
}
