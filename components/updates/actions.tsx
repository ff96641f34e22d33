'use client'

import clsx from 'clsx'
import { useAction } from '@/components/live'
import { NoPermission } from '@/components/openshift/no-permission'
import { Button, ErrorState } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import { buttonCount, changesNone, movesNothing } from './moves'
import type { Withdraw } from './asked'
import { shownPlane } from './by-plane'
import { offered } from './offered'
import {
  HOLD_AGAIN,
  holdsAgain,
  isKnown,
  listedOf,
  mineToTakeBack,
  nobodyDecides,
  standingToTakeBack,
  yoursWords,
} from './standing-words'
import { cannotGoAsApproved, LET_GO } from './words'

interface Props {
  change: UpdateDetail
  onDecide(mode: DecisionMode): void
  withdraw: Withdraw
  onDone(): void
}

/** The three decisions; one that cannot be made says why in its place. */
export function Actions({ change, onDecide, withdraw, onDone }: Props) {
  const take = useAction(withdraw, onDone)
  const mine = mineToTakeBack(change.policy)
  const { outlook, state } = change
  if (state !== 'waiting' && state !== 'rejected')
    return LET_GO.includes(state) && !change.paused && holdsAgain(change.policy) ? (
      <div className="flex flex-wrap items-center gap-2" role="group" aria-label="Decide">
        <Button pending={take.pending} onClick={() => take.run({ changeId: change.id })}>
          {HOLD_AGAIN}
        </Button>
        <ErrorState error={take.error} />
      </div>
    ) : null
  const quiet = goesAsApproved(change)
  const nobody = nobodyDecides(change)
  const plane = shownPlane(change, listedOf(change.policy)) !== null
  if (nobody) return <p className="max-w-[88ch] text-pretty">{nobody}</p>
  return (
    <div
      className={clsx('flex flex-wrap items-center gap-2', !quiet && 'max-phone:grid')}
      role="group"
      aria-label="Decide"
    >
      {outlook.blocked ? (
        <Button why={outlook.blocked}>Approve</Button>
      ) : (
        <>
          {(mine ?? standingToTakeBack(change.policy)) && (
            <Button pending={take.pending} onClick={() => take.run({ changeId: change.id })}>
              Take back
            </Button>
          )}
          {change.cannotWrite && change.may.approve ? (
            <NoPermission why={change.cannotWrite} clusterId={change.clusterId} />
          ) : (
            <Approvals change={change} onDecide={onDecide} given={mine?.mode ?? null} />
          )}
        </>
      )}
      {(state === 'waiting' || isApprovedSince(change)) && (
        <Button
          why={change.may.reject ? undefined : 'rejecting needs the role operator.'}
          onClick={() => onDecide('reject')}
        >
          Reject
        </Button>
      )}
      <ErrorState error={take.error} />
      {(state === 'waiting' || isApprovedSince(change)) &&
        change.may.approve &&
        !change.cannotWrite &&
        !outlook.blocked &&
        !cannotGoAsApproved(change) && (
          <span className="text-sm text-ink-3">
            {yoursWords(change.policy, change.heldBy, change.held?.theirs, plane)}
          </span>
        )}
    </div>
  )
}

/** It asks for no decision: what may be decided otherwise is not what stands out. */
function goesAsApproved({ policy }: UpdateDetail): boolean {
  const listed = listedOf(policy)
  return listed !== null && listed.due && listed.early === null
}

/** Rejected, and approved by somebody since: it can be rejected anew. */
const isApprovedSince = ({ policy }: UpdateDetail): boolean =>
  isKnown(policy) && policy.approvals.some(({ endedAt }) => endedAt === null)

function Approvals({ change, onDecide, given }: Pick<Props, 'change' | 'onDecide'> & { given: DecisionMode | null }) {
  const { outlook, may, policy } = change
  const barred = !isKnown(policy)
    ? policy.problem
    : policy.own
      ? 'you wrote it, and its policy asks somebody else.'
      : undefined
  const role = may.approve ? barred : 'approving needs the role approver.'
  const forbidden = (mode: 'in-place' | 'replace') =>
    (isKnown(policy) ? policy.ways[mode].forbidden : null) ?? undefined
  const { inPlace } = outlook
  const offers = offered(change, given)
  const quiet = goesAsApproved(change)
  const noInPlace = inPlace ? forbidden('in-place') : (outlook.whyNotInPlace ?? 'nobody covers every field.')
  const noReplace = forbidden('replace')
  if (changesNone(outlook)) {
    if (!offers.includes('let-go')) return null
    const why = role ?? (noInPlace ? noReplace : undefined)
    return (
      <Button
        tone={outlook.replace.deleted > 0 ? 'replace' : 'primary'}
        why={why}
        onClick={() => onDecide(noInPlace ? 'replace' : 'in-place')}
        data-key={why ? undefined : 'a'}
      >
        Let it go{!movesNothing(outlook) && ` (${buttonCount(outlook.replace, 'replace')})`}
      </Button>
    )
  }
  return (
    <>
      {offers.includes('in-place') && (
        <Button
          tone={quiet ? undefined : 'in-place'}
          why={noInPlace ?? role}
          onClick={() => onDecide('in-place')}
          data-key={role || noInPlace ? undefined : 'a'}
        >
          {outlook.only ? 'Approve' : 'Approve in place'}
          {inPlace && ` (${buttonCount(inPlace, 'in-place', outlook.before?.underWay)})`}
        </Button>
      )}
      {(!role || noInPlace) && offers.includes('replace') && (
        <Button
          tone={quiet ? undefined : 'replace'}
          why={noReplace ?? role}
          onClick={() => onDecide('replace')}
          data-key={noInPlace && !noReplace && !role ? 'a' : undefined}
        >
          Approve replacing ({buttonCount(outlook.replace, 'replace')})
        </Button>
      )}
    </>
  )
}
