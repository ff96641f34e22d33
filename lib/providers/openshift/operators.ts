import { conditionOf } from '@/lib/domain/skew/types'
import { updateKind, type UpdateKind } from '@/lib/domain/upgradeable/next-update'
import type { OperatorFacts, Override } from '@/lib/domain/upgradeable/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, items, text } from './loose'
import { conditionsOf, readClusterVersion } from './readers'

export const readOperator = (object: KubeObject): OperatorFacts => ({
  name: object.metadata.name,
  upgradeable: conditionOf(conditionsOf(object), 'Upgradeable'),
})

export const readOverrides = (clusterVersion: KubeObject | undefined): Override[] =>
  items(clusterVersion, 'spec', 'overrides').map((o) => ({
    kind: text(o, 'kind') ?? '',
    group: text(o, 'group') ?? '',
    namespace: text(o, 'namespace') ?? '',
    name: text(o, 'name') ?? '',
    unmanaged: at(o, 'unmanaged') === true,
  }))

/** A release that the update service knows a way to. */
export interface UpdateChoice {
  version: string
  kind: UpdateKind
  /** Why it is recommended only under conditions, or not at all here; null: it is recommended. */
  caution: string | null
}

/** Every release that this cluster could go to, recommended ones first, as the API lists them. */
export function readUpdates(clusterVersion: KubeObject | undefined): UpdateChoice[] {
  const from = text(clusterVersion, 'status', 'desired', 'version') ?? ''
  const recommended = items(clusterVersion, 'status', 'availableUpdates').flatMap((release): UpdateChoice[] => {
    const version = text(release, 'version')
    return version ? [{ version, kind: updateKind(from, version), caution: null }] : []
  })
  const known = new Set(recommended.map((u) => u.version))
  const conditional = items(clusterVersion, 'status', 'conditionalUpdates').flatMap((update): UpdateChoice[] => {
    const version = text(update, 'release', 'version')
    if (!version || known.has(version)) return []
    const condition = items(update, 'conditions').find((c) => text(c, 'type') === 'Recommended')
    const risks = items(update, 'risks').map((r) => text(r, 'name') ?? '')
    const caution = text(condition, 'message') ?? risks.filter(Boolean).join(', ')
    return [{ version, kind: updateKind(from, version), caution: caution || 'It is not recommended here.' }]
  })
  return [...recommended, ...conditional]
}

/** An update that is under way; null: none is. */
export interface Underway {
  version: string
  since: string | null
  /** The operator's own words on how far it is. */
  message: string
}

export function readUnderway(clusterVersion: KubeObject | undefined): Underway | null {
  const { updating, history, conditions } = readClusterVersion(clusterVersion)
  if (!updating) return null
  const [newest] = history
  return {
    version: newest?.version ?? '',
    since: newest?.startedTime ?? null,
    message: conditionOf(conditions, 'Progressing')?.message ?? '',
  }
}
