import { Answer } from '@/components/ui'
import type { Failure } from '@/lib/auth/failure'
import type { Rehearsal } from '@/lib/services/openshift/rehearse'

interface Props extends Pick<Rehearsal, 'dryRun'> {
  /** What stands at its box has to be confirmed, and is not. */
  unconfirmed: boolean
}

/** The API server would refuse it, or nobody has said that it is meant. */
export function LeftOut({ dryRun, unconfirmed }: Props) {
  if (dryRun.ok) return unconfirmed ? <p className="text-ink-2">Left out until that is confirmed.</p> : null
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
