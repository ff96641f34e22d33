import { RelativeTime } from '@/components/ui'
import type { DecisionDto } from '@/lib/services/changes/change-row'
import { decidedReason, decidedWords } from './words'

/**
 * Who decided what, and of what was approved before it was let go: when that was, and whose word let it go. `said`: the reason
 * that stands on the page already.
 */
export function Decided({ decision, said = null }: { decision: DecisionDto; said?: string | null }) {
  const { who, did } = decidedWords(decision)
  const reason = decidedReason(decision)
  const { later, recordedAt, acceptedAt } = decision
  // Stopped in that moment it was never let go.
  const never = decision.state === 'voided' && acceptedAt === null
  return (
    <>
      <span className="font-medium">{who}</span>
      {did}
      {later?.approvedAt && (
        <>
          {' '}
          <RelativeTime at={later.approvedAt} />
        </>
      )}
      {reason && <>: “{reason}”</>}
      {later && (
        <>
          {later.approvedAt && (
            <>
              ; {never ? 'was to be let go' : 'let go'} <RelativeTime at={recordedAt} />
              {!later.by && ', for its time had come'}
            </>
          )}
          {later.by && `, for ${later.by}`}
          {later.by && later.reason && later.reason !== said && <>: “{later.reason}”</>}
        </>
      )}
    </>
  )
}
