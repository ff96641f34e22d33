import { parseInput } from '../context'
import { PreviewManagedInput, SetManagedInput, type SeveralManagedInput } from './schemas'

type Typed = SeveralManagedInput['clusters'][number]

/** What is decided for all of them, as it is for one: the limit is only spoken of where the operator records by itself. */
const wishFor = ({ sets, first }: SeveralManagedInput, one: Typed, recordsItself: boolean) => ({
  ...one,
  sets: { mode: sets },
  ...(sets === 'None' && recordsItself
    ? {
        skew:
          first === 'opt-out'
            ? { action: first }
            : { action: first, versionKind: one.versionKind, version: one.version },
      }
    : {}),
})

/** The same checks as for one cluster. */
export const previewFor = (all: SeveralManagedInput, one: Typed, recordsItself: boolean) =>
  parseInput(PreviewManagedInput, wishFor(all, one, recordsItself))

interface Said {
  reason?: string
  reviewAt?: Date
}

/** A review date is kept with what is recorded or switched off, and nothing else. */
export function decisionFor(all: SeveralManagedInput & Said, one: Typed, recordsItself: boolean) {
  const wish = wishFor(all, one, recordsItself)
  const { reason, reviewAt } = all
  return parseInput(SetManagedInput, { ...wish, reason, ...('skew' in wish ? { reviewAt } : {}) })
}
