import { count } from '@/components/ui'
import { utcAnd } from '@/lib/domain/policies'
import type { PolicyPreview } from '@/lib/services/policies/preview-policy'
import type { Warned as OfPolicy } from '@/lib/services/policies/warned'
import { tooFewWords } from './people-words'
import { shortRule } from './words'

type Warned = OfPolicy & Partial<Pick<PolicyPreview, 'taken'>>

/** What of it would not be as it looks, in sentences that say what to do. */
export function warningsOf(preview: Warned): string[] {
  const { idle, neither, neverOpen, neverOpens, otherWaves, overruled, shortLived } = preview
  const { strangeLabels, strangeUpdaters, taken, tooFew } = preview
  const groups = (n: number) => count(n, 'group')
  return [
    ...(!taken ? [] : [`There is already a policy named ${taken}: it cannot be saved by this name.`]),
    ...strangeLabels.map(({ label, there }) => {
      const instead = there.length > 0 ? `there are ${there.join(', ')}` : 'none has any label'
      return `No workload cluster has the label ${label}; ${instead}.`
    }),
    ...strangeUpdaters.map((name) => `No updater is registered as ${name}: nobody is asked by that name.`),
    ...overruled.map(({ rule, value, policy, theirs, groups: n, asClose }) => {
      const [mine, other] = [shortRule(rule, value as never), shortRule(rule, theirs as never)]
      return `“${mine}” does not count for ${groups(n)} of it: the policy ${policy} describes them ${asClose ? 'as closely and is stricter' : 'more closely'}: “${other}”.`
    }),
    ...idle.map(
      ({ words, groups: n, why, instead }) =>
        `${words} means nothing for ${groups(n)} of it: ${why}. What the ${instead ? `policy ${instead} says holds` : 'group says stays'}.`,
    ),
    ...(neither > 0
      ? [
          `${groups(neither)} would have both maxSurge 0 and maxUnavailable 0, which the API server refuses: nothing of ${neither === 1 ? 'it' : 'them'} could go. Write maxUnavailable: 1, too.`,
        ]
      : []),
    ...(tooFew ? [tooFewWords(tooFew)] : []),
    ...(neverOpens ? ['By its windows and freezes, no machine may move within a year.'] : []),
    ...neverOpen.map(({ policies, groups: n }) =>
      policies.length > 1
        ? `${policies.join(' and ')} are never open together within a year: nothing of ${groups(n)} could go.`
        : `The windows of ${policies.join()} lie in its freezes for a year: nothing of ${groups(n)} could go.`,
    ),
    ...(shortLived ? [shortLivedWords(shortLived)] : []),
    ...otherWaves.map(
      ({ policy, groups: n, asClose }) =>
        `${groups(n)} of it ${n === 1 ? 'goes' : 'go'} by the waves of the policy ${policy}, which ${asClose ? 'describes them as closely and has no fewer waves' : 'describes them more closely'}: ${n === 1 ? 'it is' : 'they are'} in none of these.`,
    ),
  ]
}

const shortLivedWords = ({ lasts, from, to, timeZone, enough }: NonNullable<Warned['shortLived']>): string =>
  `An approval lasts ${lasts}, and by its windows and freezes nothing begins from ${utcAnd(from, timeZone)} to ${utcAnd(to, timeZone)}: what is approved as that begins expires before it may go. Let an approval last ${enough} or longer (expiresAfter).`

export function Warnings({ preview }: { preview: Warned }) {
  const all = warningsOf(preview)
  if (all.length === 0) return null
  return (
    <ul className="mb-3 grid gap-1.5">
      {all.map((words) => (
        <li key={words} className="text-pretty wrap-anywhere text-needs-ink">
          <span aria-hidden>! </span>
          {words}
        </li>
      ))}
    </ul>
  )
}
