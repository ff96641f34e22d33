import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { SkewActionName, SkewRequest } from '@/lib/domain/skew/patch'
import type { VersionKind } from '@/lib/domain/skew/types'
import type { ActionDto } from '../openshift/action-row'

/** An action of the kind skew. */
export type SkewActionDto = ActionDto & { action: SkewActionName }

/** What was asked for, of a row of the kind skew. */
export function requestOf(row: Pick<OpenShiftAction, 'action' | 'versionKind' | 'version'>): SkewRequest {
  return {
    action: row.action as SkewActionName,
    ...(row.versionKind && { versionKind: row.versionKind as VersionKind }),
    ...(row.version && { version: row.version }),
  }
}
