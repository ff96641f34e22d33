import type { ChipTone } from '@/components/ui'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { latchOf, STATES } from './words'

type Followed = Pick<ClusterDetail, 'state'> & { away: unknown }

/** Connected is only what somebody follows. */
export function stateOf({ state, away }: Followed): { word: string; tone: ChipTone } {
  if (away && state === 'connected') return { word: 'no worker follows it', tone: 'bad' }
  return STATES[state] ?? { word: state, tone: 'plain' }
}

/** What it means that no worker follows a cluster; empty: one does. */
export function awayWords(
  cluster: Pick<ClusterDetail, 'away' | 'latch' | 'gate' | 'policy' | 'state' | 'counts'>,
): string[] {
  const { away, gate, latch, policy } = cluster
  if (!away || cluster.state === 'pending') return []
  const governs = policy.governs !== 'none'
  return [
    'No worker of Drydock follows it: what is shown here is as it was last heard, and nothing is let go or held again.',
    ...(latchOf(cluster)?.state === 'unreachable'
      ? [
          'Nobody knows whether one answers the latch’s webhook: while none does, the API server refuses writes that would roll out governed groups.',
        ]
      : []),
    ...(governs && latch.form === 'watch' ? ['Nothing holds changes of governed groups.'] : []),
    ...(gate.state === 'registered' ? ['What Cluster API asks the update gate about waits.'] : []),
    ...(governs || cluster.counts.held > 0 ? ['What is held stays held.'] : []),
  ]
}
