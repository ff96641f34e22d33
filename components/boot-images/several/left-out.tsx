import { Answer } from '@/components/ui'
import type { Failure } from '@/lib/auth/failure'
import type { Rehearsal } from '@/lib/services/openshift/rehearse'

/** The API server would refuse it. */
export function LeftOut({ dryRun }: Pick<Rehearsal, 'dryRun'>) {
  if (dryRun.ok) return null
  return (
    <div role="alert">
      <p className="text-pretty text-blocked">
        <span aria-hidden>✕ </span>Left out: {dryRun.sentence}
      </p>
      {dryRun.answer && <Answer>{dryRun.answer}</Answer>}
    </div>
  )
}

/** Nothing can be decided there. */
export function Refused({ refused }: { refused: Pick<Failure, 'message' | 'hint'> }) {
  return (
    <p role="alert" className="text-pretty text-blocked">
      <span aria-hidden>✕ </span>Left out: {refused.message} <span className="text-ink-2">{refused.hint}</span>
    </p>
  )
}
