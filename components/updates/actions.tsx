'use client'

import { Button } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import { buttonCount } from './moves'

/** The three decisions; one that cannot be made says why in its place. */
export function Actions({ change, onDecide }: { change: UpdateDetail; onDecide(mode: DecisionMode): void }) {
  const { outlook, state } = change
  if (state !== 'waiting' && state !== 'rejected') return null
  const role = change.may.approve ? undefined : 'approving needs the role approver.'
  const noInPlace = outlook.inPlace ? undefined : (outlook.whyNotInPlace ?? 'nobody covers every field.')
  const inPlace = outlook.inPlace
  return (
    <div className="flex flex-wrap items-center gap-2 max-phone:grid" role="group" aria-label="Decide">
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
      {state === 'waiting' && (
        <Button
          why={change.may.reject ? undefined : 'rejecting needs the role operator.'}
          onClick={() => onDecide('reject')}
        >
          Reject
        </Button>
      )}
      {state === 'waiting' && !role && <span className="text-sm text-ink-3">Yours to approve.</span>}
    </div>
  )
}
