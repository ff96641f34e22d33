import { problemOf, Section, Textarea, TextInput } from '@/components/ui'
import type { FieldProblem } from '@/lib/services/errors'

export interface Said {
  reason: string
  /** A day; empty: none. */
  reviewAt: string
}
export const UNSAID: Said = { reason: '', reviewAt: '' }

const noonOf = (day: string): string => `${day}T12:00:00Z`

/** As a decision is told: at noon of that day, wherever one is. */
export const saidOf = ({ reason, reviewAt }: Said) => ({
  reason: reason.trim() || undefined,
  reviewAt: reviewAt ? noonOf(reviewAt) : undefined,
})

/** The day of a review that stands, to begin with; one that has come is over with the new decision. */
export const dayOf = (standing: string | null): string =>
  standing && Date.parse(noonOf(standing.slice(0, 10))) > Date.now() ? standing.slice(0, 10) : ''

/** The same where a review date stands: left as it was it is that very moment, and emptied it is none. */
export const saidAnew = (said: Said, standing: string | null) => ({
  ...saidOf(said),
  ...(said.reviewAt === dayOf(standing)
    ? { reviewAt: said.reviewAt ? standing : undefined }
    : !said.reviewAt && { reviewAt: null }),
})

/** Said at once, and not first by the server when it is pressed. */
export const isPast = ({ reviewAt }: Said): boolean => reviewAt !== '' && Date.parse(noonOf(reviewAt)) <= Date.now()

/** The first day whose noon is to come. */
export const firstDay = (now = Date.now()): string => new Date(now + 43_200_000).toISOString().slice(0, 10)

const AT_FIELDS = ['reason', 'reviewAt']

/** Of a refusal, what does not stand at the reason or the date already. */
export const besideWhy = <P extends { fields?: FieldProblem[] }>(refused: P | null): P | null =>
  refused?.fields?.length && refused.fields.every(({ field }) => AT_FIELDS.includes(field)) ? null : refused

interface Props {
  said: Said
  onChange: (said: Said) => void
  fields: FieldProblem[] | undefined
  hint?: string
  /** What its review date is for; null: it has none. */
  review: string | null
}

/** Why somebody decides so, and when it is to be looked at again. */
export function Why({ said, onChange, fields, hint = 'Kept with the decision and in the audit.', review }: Props) {
  return (
    <Section title="Why">
      <div className="grid gap-4">
        <Textarea
          label="Reason"
          name="reason"
          value={said.reason}
          onChange={(e) => onChange({ ...said, reason: e.target.value })}
          problem={problemOf(fields, 'reason')}
          hint={hint}
        />
        {review !== null && (
          <TextInput
            label="Review on"
            name="reviewAt"
            type="date"
            min={firstDay()}
            value={said.reviewAt}
            onChange={(e) => onChange({ ...said, reviewAt: e.target.value })}
            problem={
              problemOf(fields, 'reviewAt') ?? (isPast(said) ? 'The review date must lie in the future.' : undefined)
            }
            hint={review}
          />
        )}
      </div>
    </Section>
  )
}
