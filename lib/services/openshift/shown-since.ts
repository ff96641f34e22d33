import type { OpenShiftAction, OpenShiftCluster } from '@/lib/db/generated/client'

type Card = Pick<OpenShiftCluster, 'configurationUid' | 'generation'>
type Word = Pick<OpenShiftAction, 'uid' | 'generation'>

/** Deleted and made anew since, which counts its generations from one again: nothing that stands there is this word. */
export const isAnother = ({ configurationUid }: Card, { uid }: Word): boolean =>
  configurationUid !== null && uid !== null && configurationUid !== uid

/** Whether the row of a cluster shows what somebody wrote, or what came of it since: one of before says what was so before. */
export const showsSince = (card: Card, word: Word): boolean =>
  !isAnother(card, word) && card.generation >= (word.generation ?? 0n)

/** Both in SQL, of row o and word a: null where it is not known. */
export const ANOTHER_SQL = 'a.uid <> o.configuration_uid'
export const SINCE_SQL = 'o.generation >= coalesce(a.generation, 0)'
