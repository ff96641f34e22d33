import type { Decision } from '@/lib/db/generated/client'
import { cameLater, snapshotOf } from '../policies/snapshot'
import type { SaidOfChange } from './said-of-change'
import type { WaveWordSaid } from './said-of-waves'

/** Whose word let something go that had been approved before. */
export interface LetOnBy {
  what: GoesOn | 'begin' | 'skip'
  by: string
  reason: string | null
  at: Date
  /** The one that begins, or is not waited for. */
  wave?: string | null
}

const GOES_ON = ['went-on', 'resumed', 'next-machine', 'all-machines', 'override'] as const
type GoesOn = (typeof GOES_ON)[number]
const isGoesOn = (what: string): what is GoesOn => GOES_ON.some((one) => one === what)

/** What somebody says of waves is seen by the worker; what went much later waited for something else besides. */
const SOON_MS = 60_000

export interface Words {
  said: readonly SaidOfChange[]
  waves: readonly WaveWordSaid[]
}

/** The last word before it was let go, and since it was let go before; null: its time had come. */
export function whyLetGo(
  { recordedAt }: Pick<Decision, 'recordedAt'>,
  before: Pick<Decision, 'acceptedAt'> | undefined,
  { said, waves }: Words,
): LetOnBy | null {
  const since = before?.acceptedAt ?? new Date(0)
  const found: LetOnBy[] = []
  const ended = said.findLast(({ what, at }) => what === 'override-ended' && at <= recordedAt)
  for (const { what, by, reason, at } of said)
    if (isGoesOn(what) && !(what === 'override' && ended && at <= ended.at)) found.push({ what, by, reason, at })
  for (const { what, by, reason, at, wave } of waves)
    if ((what === 'begin' || what === 'skip') && recordedAt.getTime() - at.getTime() <= SOON_MS)
      found.push({ what, by, reason, at, wave })
  const then = found.filter(({ at }) => at > since && at <= recordedAt)
  return then.reduce<LetOnBy | null>((last, one) => (last && last.at > one.at ? last : one), null)
}

/** "Ben let all others go": what that person said, behind "for". */
export function letOnWords({ what, by, wave }: LetOnBy): string {
  const words: Record<LetOnBy['what'], string> = {
    'went-on': 'let it go on',
    resumed: 'resumed it',
    'next-machine': 'let the next machine go',
    'all-machines': 'let all others go',
    override: 'did not wait for its times',
    begin: `let the wave ${wave} begin`,
    skip: `had the waves not wait for ${wave}`,
  }
  return `${by} ${words[what]}`
}

/** What had been approved before it was let go: when that was (null: its policy asks nobody), and whose word let it go (null: its time). */
export interface LetGoLater {
  approvedAt: string | null
  by: string | null
  reason: string | null
}

export function letGoLater(
  decision: Pick<Decision, 'policy' | 'recordedAt'>,
  before: Pick<Decision, 'acceptedAt'> | undefined,
  words: Words,
): LetGoLater | null {
  if (!cameLater(decision)) return null
  const on = whyLetGo(decision, before, words)
  const approvals = snapshotOf(decision)?.approvals ?? []
  const approvedAt = approvals.reduce<string | null>((last, { at }) => (last && last > at ? last : at), null)
  return { approvedAt, by: on && letOnWords(on), reason: on?.reason ?? null }
}
