'use client'

import { Button } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import { buttonCount } from './moves'

interface Props {
  change: UpdateDetail
  onDecide(mode: DecisionMode): void
}

/** The three decisions; one that cannot be made says why in its place. */
export function Actions({ change, onDecide }: Props) {
  const { outlook, state } = change
  if (state !== 'waiting' && state !== 'rejected') return null
  return (
    <div className="flex flex-wrap items-center gap-2 max-phone:grid" role="group" aria-label="Decide">
      {outlook.blocked ? (
        <Button why={outlook.blocked}>Approve</Button>
      ) : (
        <Approvals change={change} onDecide={onDecide} />
      )}
      {state === 'waiting' && (
        <Button
          why={change.may.reject ? undefined : 'rejecting needs the role operator.'}
          onClick={() => onDecide('reject')}
        >
          Reject
        </Button>
      )}
      {state === 'waiting' && change.may.approve && !outlook.blocked && (
        <span className="text-sm text-ink-3">Yours to approve.</span>
      )}
    </div>
  )
}

function Approvals({ change: { outlook, may }, onDecide }: Props) {
  const role = may.approve ? undefined : 'approving needs the role approver.'
  const { inPlace } = outlook
  const noInPlace = inPlace ? undefined : (outlook.whyNotInPlace ?? 'nobody covers every field.')
  return (
    <>
      <Button
        tone="in-place"
        why={noInPlace ?? role}
        onClick={() => onDecide('in-place')}
        data-key={role || noInPlace ? undefined : 'a'}
      >
        Approve in place{inPlace && ` (${buttonCount(inPlace, 'in-place')})`}
      </Button>
      {(!role || noInPlace) && (
        <Button
          tone="replace"
          why={role}
          onClick={() => onDecide('replace')}
          data-key={noInPlace && !role ? 'a' : undefined}
        >
          Approve replacing ({buttonCount(outlook.replace, 'replace')})
        </Button>
      )}
    </>
  )
}
