import { NoPermission } from '@/components/openshift/no-permission'
import { Button } from '@/components/ui'
import { offered, type Offered } from '@/lib/domain/skew/offered'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import type { Doing } from './types'

/** The version that the cluster's own configuration acknowledges, whoever wrote it there. */
export const acknowledgedIn = ({ mode, configured, recorded }: BootImageCard): string | null =>
  mode === 'Manual' && configured ? (recorded.ocpVersion ?? recorded.rhcosVersion) : null

/** What an acknowledgement begins with; nothing, where what it would be by may be old. */
export const offerOf = (card: BootImageCard): Offered | null =>
  card.unheard ? null : offered(card.best, acknowledgedIn(card) === null ? null : card.recorded, card.evidence)

interface Props {
  card: BootImageCard
  mayAct: boolean
  onDo(doing: Doing): void
  /** What is acknowledged is still true. */
  onRenew(): void
}

/** Offered only where the cluster's operator acts on what is written. */
export function ActButtons({ card, mayAct, onDo, onRenew }: Props) {
  if (!mayAct) return <p className="text-sm text-ink-3">Acknowledging and opting out need the role operator.</p>
  if (card.cannotWrite) return <NoPermission why={card.cannotWrite} clusterId={card.clusterId} />
  const acknowledged = acknowledgedIn(card)
  const offer = offerOf(card)?.version ?? null
  // What the evidence speaks against is not to be said again first.
  const against = card.flaggedWhy !== null
  const urgent = against || card.closes
  const renew = card.reviewDue && acknowledged && (
    <Button tone={against ? 'plain' : 'primary'} onClick={onRenew}>
      {acknowledged} is still true…
    </Button>
  )
  return (
    <div className="flex flex-wrap gap-2 max-phone:grid">
      {!against && renew}
      <Button tone={urgent ? 'primary' : 'plain'} onClick={() => onDo('acknowledge')}>
        {acknowledged && (offer === null || offer === acknowledged)
          ? 'Change the acknowledged version'
          : `Acknowledge ${offer ?? 'a version'}${acknowledged ? ' instead' : ''}`}
      </Button>
      {against && renew}
      {card.mode !== 'None' && (
        <Button tone="bare" onClick={() => onDo('opt-out')}>
          Opt out of enforcement
        </Button>
      )}
      {card.configured && (
        <Button tone="bare" onClick={() => onDo('automatic')}>
          Return to automatic
        </Button>
      )}
    </div>
  )
}
