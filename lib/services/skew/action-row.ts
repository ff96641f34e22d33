import type { SkewAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import type { SkewActionName, SkewRequest } from '@/lib/domain/skew/patch'
import type { VersionKind } from '@/lib/domain/skew/types'

/** One call as it is shown before and recorded after it was made. */
export interface SkewCall {
  method: 'PATCH'
  path: string
  contentType: 'application/merge-patch+json'
  body: JsonObject
  at?: string
  code?: number
  answer?: string
}

export interface SkewActionDto {
  id: string
  clusterId: string
  action: SkewActionName
  versionKind: VersionKind | null
  version: string | null
  reason: string | null
  reviewAt: string | null
  actorName: string
  state: 'recorded' | 'applying' | 'accepted' | 'seen' | 'failed'
  calls: SkewCall[]
  error: string | null
  /** The API server's own words on the last call. */
  answer: string | null
  /** Somebody else wrote in between: look again before deciding again. */
  conflict: boolean
  recordedAt: string
  acceptedAt: string | null
  seenAt: string | null
}

export const PATH = '/apis/operator.openshift.io/v1/machineconfigurations/cluster'

export const callsOf = (row: Pick<SkewAction, 'calls'>): SkewCall[] => row.calls as unknown as SkewCall[]

export function requestOf(row: Pick<SkewAction, 'action' | 'versionKind' | 'version'>): SkewRequest {
  return {
    action: row.action as SkewActionName,
    ...(row.versionKind && { versionKind: row.versionKind as VersionKind }),
    ...(row.version && { version: row.version }),
  }
}

export function skewActionDto(row: SkewAction): SkewActionDto {
  const calls = callsOf(row)
  const last = calls.at(-1)
  return {
    id: row.id,
    clusterId: row.clusterId,
    action: row.action as SkewActionName,
    versionKind: row.versionKind as VersionKind | null,
    version: row.version,
    reason: row.reason,
    reviewAt: row.reviewAt?.toISOString() ?? null,
    actorName: row.actorName,
    state: row.state as SkewActionDto['state'],
    calls,
    error: row.error,
    answer: last?.answer ?? null,
    conflict: row.state === 'failed' && last?.code === 409,
    recordedAt: row.recordedAt.toISOString(),
    acceptedAt: row.acceptedAt?.toISOString() ?? null,
    seenAt: row.seenAt?.toISOString() ?? null,
  }
}
