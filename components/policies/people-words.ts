import { count } from '@/components/ui'
import type { TooFewPeople } from '@/lib/services/policies/people-enough'

/** Of a policy that asks for more than there are, and what to do about it. */
export const tooFewWords = ({ asked, besides, people }: TooFewPeople): string =>
  `It asks for ${count(asked, 'approval')}${besides ? ', with the one more where nobody knows who wrote the change,' : ''} and ${count(people, 'account')} may approve: nothing could go. Give somebody the role approver, or ask for fewer.`
