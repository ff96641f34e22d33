import { Facts, RelativeTime } from '@/components/ui'
import { commonName, firstToExpire } from '@/lib/domain/pools/certificates'
import type { PoolDetail } from '@/lib/services/pools/get-pool'
import { Releases } from './releases'
import { countWords } from './words'

/** Of a pool of the control plane. */
const NEVER =
  'never held or paused by Drydock: its nodes carry etcd, and an update of the cluster does not complete while it is paused'

/** Counts as the operator counts them, its limit, and what it trusts until when. */
export function PoolFacts({ pool }: { pool: PoolDetail }) {
  const first = firstToExpire(pool.certificates)
  const limit =
    pool.atOnce === null
      ? `${pool.maxUnavailable}, by which the operator takes no node`
      : `${pool.atOnce} at once${pool.maxUnavailable?.endsWith('%') ? ` (${pool.maxUnavailable})` : pool.maxUnavailable === null ? ' (the default)' : ''}`
  return (
    <Facts
      items={[
        ['nodes', countWords(pool)],
        ['release', <Releases key="r" {...pool} />],
        ['maxUnavailable', limit],
        ['its configurations are', pool.notPausable === null ? pool.hold.strength : NEVER],
        ...(pool.clusterUpdating ? [['cluster', `is being updated to ${pool.wantedRelease}`] as [string, string]] : []),
        ...(pool.required ? [['upgrades', 'an update of the cluster waits for this pool'] as [string, string]] : []),
        ...(first
          ? [
              [
                'first certificate to expire',
                <span key="c">
                  {commonName(first)}, <RelativeTime at={first.expiry} />
                </span>,
              ] as [string, React.ReactNode],
            ]
          : []),
      ]}
    />
  )
}
