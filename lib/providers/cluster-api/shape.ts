import type { JsonObject } from '@/lib/domain/json'
import type { GroupShape, Shape } from '@/lib/domain/policies'
import type { KubeObject } from '@/lib/kubernetes/types'
import { count, text } from '../fields'
import { rolloutShapeOf } from './group'

type TimeOuts = Pick<GroupShape, 'drainSeconds' | 'detachSeconds'>

/** Where a group says what its machines are like, in its API version; a Machine says it itself. */
function machineAt({ kind, apiVersion }: KubeObject): string[] {
  if (kind === 'Machine') return []
  if (kind !== 'KubeadmControlPlane') return ['template', 'spec']
  return isOld(apiVersion) ? ['machineTemplate'] : ['machineTemplate', 'spec']
}

const isOld = (apiVersion: string): boolean => apiVersion.endsWith('/v1beta1')

/** How long nodes are drained and volumes detached at most, by a group, or by a Machine itself; null: it does not say. */
export function timeOutsOf(group: KubeObject): TimeOuts {
  const path = machineAt(group)
  const of = (now: string, before: string): number | null =>
    count(group.spec, ...path, 'deletion', now) ?? goSeconds(text(group.spec, ...path, before))
  return {
    drainSeconds: of('nodeDrainTimeoutSeconds', 'nodeDrainTimeout'),
    detachSeconds: of('nodeVolumeDetachTimeoutSeconds', 'nodeVolumeDetachTimeout'),
  }
}

/** "1h30m0s" of Go's durations, which v1beta1 has. */
function goSeconds(duration: string | null): number | null {
  if (duration === null) return null
  const [, h, m, s] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)(?:\.\d+)?s)?$/.exec(duration) ?? []
  return Number(h ?? 0) * 3_600 + Number(m ?? 0) * 60 + Number(s ?? 0)
}

/** A group as policies compare it. */
export const groupShapeOf = (group: KubeObject): GroupShape => {
  const { maxSurge, maxUnavailable, deletionOrder } = rolloutShapeOf(group)
  return { maxSurge, maxUnavailable, deletionOrder, ...timeOutsOf(group) }
}

const number = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text)

/** The spec that a merge patch of this group writes so that it is of that shape. */
export function shapeSpec(group: KubeObject, shape: Shape): JsonObject {
  const { maxSurge, maxUnavailable, deletionOrder, drainSeconds, detachSeconds } = shape
  const old = isOld(group.apiVersion)
  const rolling: JsonObject = {
    ...(maxSurge === undefined ? {} : { maxSurge: number(maxSurge) }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable: number(maxUnavailable) }),
    ...(old && deletionOrder !== undefined ? { deletePolicy: deletionOrder } : {}),
  }
  const rolls = Object.keys(rolling).length > 0
  const strategy: JsonObject = { type: 'RollingUpdate', rollingUpdate: rolling }
  const key = group.kind === 'KubeadmControlPlane' ? 'rolloutStrategy' : 'strategy'
  const times: [string, number | undefined][] = [
    ['nodeDrainTimeout', drainSeconds],
    ['nodeVolumeDetachTimeout', detachSeconds],
  ]
  const given = times.flatMap(([name, n]) => (n === undefined ? [] : [{ name, n }]))
  const machine: JsonObject = old
    ? Object.fromEntries(given.map(({ name, n }) => [name, `${n}s`]))
    : { deletion: Object.fromEntries(given.map(({ name, n }) => [`${name}Seconds`, n])) }
  const nested = machineAt(group).reduceRight<JsonObject>((inner, part) => ({ [part]: inner }), machine)
  return {
    ...(rolls ? (old ? { [key]: strategy } : { rollout: { strategy } }) : {}),
    ...(!old && deletionOrder !== undefined ? { deletion: { order: deletionOrder } } : {}),
    ...(given.length > 0 ? nested : {}),
  }
}
