import { NoPermission } from '@/components/openshift/no-permission'
import type { Act } from '@/components/openshift/use-decision'
import { Button } from '@/components/ui'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { Meanwhile } from './meanwhile'
import type { Doing } from './types'

interface Props {
  card: BootImageCard
  mayAct: boolean
  onDo(doing: Doing): void
  /** Ends what stands half way. */
  leave: Act
  /** What is acknowledged is still true. */
  onRenew(): void
}

/** Offered only where the cluster's operator acts on what is written. */
export function ActButtons({ card, mayAct, onDo, onRenew, leave }: Props) {
  if (!mayAct) return <p className="text-sm text-ink-3">Acknowledging and opting out need the role operator.</p>
  const { cannotWrite, underWay } = card
  // To leave what stands half way Drydock writes nothing.
  if (cannotWrite || underWay?.halfway)
    return (
      <div className="grid gap-2">
        {cannotWrite && <NoPermission why={cannotWrite} clusterId={card.clusterId} />}
        {underWay && <Meanwhile underWay={underWay} leave={leave} />}
      </div>
    )
  // They stay where they are for the moments of a decision: the focus comes back to what its sheet was opened from.
  const disabled = underWay !== null
  const { acknowledged } = card
  const offer = card.offer?.version ?? null
  // What the evidence speaks against is not to be said again first.
  const against = card.flaggedWhy !== null
  const urgent = against || card.closes
  const renew = card.reviewDue && acknowledged && (
    <Button tone={against ? 'plain' : 'primary'} disabled={disabled} onClick={onRenew}>
      {acknowledged} is still true…
    </Button>
  )
  return (
    <div className="grid gap-2">
      {underWay && <Meanwhile underWay={underWay} leave={leave} />}
      <div className="flex flex-wrap gap-2 max-phone:grid">
        {!against && renew}
        <Button tone={urgent ? 'primary' : 'plain'} disabled={disabled} onClick={() => onDo('acknowledge')}>
          {acknowledged && (offer === null || offer === acknowledged)
            ? 'Change the acknowledged version'
            : `Acknowledge ${offer ?? 'a version'}${acknowledged ? ' instead' : ''}`}
        </Button>
        {against && renew}
        {card.mode !== 'None' && (
          <Button tone="bare" disabled={disabled} onClick={() => onDo('opt-out')}>
            Opt out of enforcement
          </Button>
        )}
        {card.configured && (
          <Button tone="bare" disabled={disabled} onClick={() => onDo('automatic')}>
            Return to automatic
          </Button>
        )}
      </div>
    </div>
  )
}
