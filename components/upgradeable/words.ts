import { count, type ChipTone } from '@/components/ui'
import type { GateState, UpgradeState } from '@/lib/domain/upgradeable/types'
import type { BlockerDto } from '@/lib/services/upgradeable/get-cluster'
import type { ClusterUpdatesDto } from '@/lib/services/upgradeable/list-clusters'

export const STATES: Record<UpgradeState, { tone: ChipTone; words: string }> = {
  closed: { tone: 'bad', words: 'closed' },
  closing: { tone: 'bad', words: 'about to close' },
  unknown: { tone: 'plain', words: 'not known' },
  open: { tone: 'good', words: 'open' },
}

export const GATES: Record<GateState, { tone: ChipTone; words: string }> = {
  waiting: { tone: 'needs', words: 'waits for an administrator' },
  malformed: { tone: 'bad', words: 'malformed' },
  empty: { tone: 'bad', words: 'without text' },
  unknown: { tone: 'plain', words: 'acknowledgements cannot be read' },
  acknowledged: { tone: 'good', words: 'acknowledged' },
  'other-release': { tone: 'plain', words: 'for another release' },
  'no-gate': { tone: 'plain', words: 'no longer asked for' },
}

/** An entry in admin-acks that acknowledges nothing; null: there is none, or it counts. */
export const wrongAck = (ack: string | null): string | null =>
  ack === null || ack === 'true' ? null : `The ConfigMap admin-acks has an entry for it, “${ack}”: only “true” counts.`

const SOURCES: Record<BlockerDto['source'], string> = {
  operator: 'operator',
  gate: 'gate',
  gates: 'ConfigMap',
  overrides: 'ClusterVersion',
  deletion: 'ClusterVersion',
  updating: 'ClusterVersion',
  other: 'ClusterVersion',
}
const PARTS: Partial<Record<BlockerDto['source'], string>> = {
  overrides: 'spec.overrides',
  deletion: 'objects being deleted',
  updating: 'update under way',
}

/** Who says so: "operator etcd". */
export const whoOf = ({ source, item }: Pick<BlockerDto, 'source' | 'item'>): { kind: string; name: string } => ({
  kind: SOURCES[source],
  name: item || PARTS[source] || '',
})

export const SAID: Record<BlockerDto['said'], string> = {
  both: '',
  'not-yet': 'ClusterVersion does not say so yet',
  'no-longer': 'no longer in the way; ClusterVersion still says so',
}

/** "2 reasons, 1 more no longer in the way": only what is in the way counts, as in the sentence above. */
export function reasonsOf(blockers: readonly Pick<BlockerDto, 'said'>[]): string {
  const gone = blockers.filter(({ said }) => said === 'no-longer').length
  const holding = blockers.length - gone
  return [
    holding > 0 && count(holding, 'reason'),
    gone > 0 && `${gone}${holding > 0 ? ' more' : ''} no longer in the way`,
  ]
    .filter(Boolean)
    .join(', ')
}

type Heard = Pick<ClusterUpdatesDto, 'unheard'> & {
  cluster: Pick<ClusterUpdatesDto['cluster'], 'state' | 'lastHeardAt'>
}

/** Its API server is not heard at all. */
export const isCut = ({ cluster }: Pick<Heard, 'cluster'>): boolean =>
  cluster.state === 'unreachable' || cluster.state === 'unauthorised'

/** When it was heard last, where that is not now; null: never; undefined: it is heard. */
export const oldSince = (of: Heard): string | null | undefined =>
  isCut(of) ? of.cluster.lastHeardAt : of.unheard ? of.unheard.since : undefined
