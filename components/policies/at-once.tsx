import Link from 'next/link'
import { count } from '@/components/ui'
import { utc } from '@/lib/domain/policies'
import type { AtOnce, Part } from '@/lib/services/policies/at-once'

/** "12 machines are replaced, 3 machines are updated in place, 1 machine is deleted" */
function machinesWords({ inPlace, replaced, byHand, created, deleted }: Part): string {
  const those = (n: number, what: string) => n > 0 && `${count(n, 'machine')} ${n === 1 ? 'is' : 'are'} ${what}`
  const some = byHand < replaced ? `${byHand} of them ` : ''
  const waits = byHand > 0 ? ` (${some}only when somebody deletes ${byHand === 1 ? 'it' : 'them'})` : ''
  const words = [
    those(replaced, `replaced${waits}`),
    those(inPlace, 'updated in place'),
    those(created, 'created'),
    those(deleted, 'deleted'),
  ]
  return words.filter(Boolean).join(', ') || 'no machine of it changes'
}

const which = (part: Part, what: string, one: string, many: string): string =>
  `${count(part.changes, what)} that ${part.changes === 1 ? one : many}`

/** Which waves they come to be in is found once it is saved. */
const atOnceWhere = ({ changes, may = 0 }: Part & { may?: number }): string => {
  if (may === 0) return ''
  return may < changes ? `, ${may} of them at once where their wave is open` : ', at once where the wave is open'
}

const LINES: { key: Exclude<keyof AtOnce, 'ended' | 'scaled'>; words(part: Part): string }[] = [
  {
    key: 'goes',
    words: (part) =>
      `${which(part, 'change', 'waits goes', 'wait go')} at once, with nobody asked again: ${machinesWords(part)}.`,
  },
  {
    key: 'later',
    words: (part) =>
      `${which(part, 'change', 'waits goes', 'wait go')} by ${part.changes === 1 ? 'itself when its' : 'themselves when their'} time or wave comes${atOnceWhere(part)}: ${machinesWords(part)}.`,
  },
  {
    key: 'sooner',
    words: (part: Part & { at?: number | null }) =>
      `${which(part, 'change', 'waits goes', 'wait go')} sooner, ${part.changes === 1 ? '' : 'the first of them '}at ${utc(part.at!)}: ${machinesWords(part)}.`,
  },
  {
    key: 'staysPaused',
    words: (part) =>
      `${which(part, 'change', 'waits is', 'wait are')} let go, at once or when ${part.changes === 1 ? 'its' : 'their'} time comes, and nothing of ${part.changes === 1 ? 'it' : 'them'} moves: somebody’s own pause keeps ${part.changes === 1 ? 'it' : 'them'}.`,
  },
  {
    key: 'held',
    words: (part) =>
      `${which(part, 'rollout', 'is under way is', 'are under way are')} held within seconds: machines that have begun are finished, the rest waits.`,
  },
  {
    key: 'heldLater',
    words: (part: Part & { at?: number | null }) =>
      `${which(part, 'rollout', 'is under way is', 'are under way are')} held, ${part.changes === 1 ? '' : 'the first of them '}from ${utc(part.at!)} on: machines that have begun by then are finished, the rest waits.`,
  },
  {
    key: 'mayHold',
    words: (part) =>
      `${which(part, 'rollout', 'was let go and has not begun is', 'were let go and have not begun are')} held within seconds where ${part.changes === 1 ? 'its wave is' : 'their waves are'} shut.`,
  },
  {
    key: 'stops',
    words: (part) =>
      `${which(part, 'rollout', 'is under way stops', 'are under way stop')} by ${part.changes === 1 ? 'itself' : 'themselves'}: so many machines have failed already.`,
  },
  {
    key: 'asksAgain',
    words: (part) =>
      `${which(part, 'change', 'enough people have approved asks', 'enough people have approved ask')} people again: by then that is not enough, or not the way.`,
  },
]

const scaledWords = ({ scaled: n }: AtOnce): string[] => {
  if (n === 0) return []
  const [is, wants] = n === 1 ? ['is', 'it wants'] : ['are', 'they want']
  return [
    `${count(n, 'worker group')} that ${is} held ${is} scaled, as ${wants} another number of machines: of what is there now.`,
  ]
}

const endedWords = ({ ended }: AtOnce): string[] =>
  ended.map((word) =>
    word.what === 'stop'
      ? `That ${word.by} stopped the waves of ${word.policy} holds ${count(word.changes, 'change')} no more: ${word.changes === 1 ? 'it goes' : 'they go'} by other waves, or by none.`
      : `What ${word.by} said of the wave ${word.wave} of ${word.policy} counts no more, that it ${word.what === 'begin' ? 'begins' : 'is not waited for'}: its groups are written otherwise. Look at it, and say it anew.`,
  )

/** What saving does to changes that are there, as plain sentences. Empty: nothing. */
export const atOnceWords = (atOnce: AtOnce): string[] => [
  ...LINES.flatMap(({ key, words }) => (atOnce[key].changes > 0 ? [words(atOnce[key])] : [])),
  ...scaledWords(atOnce),
  ...endedWords(atOnce),
]

/** The same with links to the changes. */
export function AtOnceLines({ atOnce, doing }: { atOnce: AtOnce; doing: string }) {
  const lines = LINES.filter(({ key }) => atOnce[key].changes > 0)
  const besides = [...scaledWords(atOnce), ...endedWords(atOnce)]
  if (lines.length + besides.length === 0)
    return <p className="text-ink-2">{doing} lets no change go at once, and holds no rollout.</p>
  return (
    <div className="rounded-md border border-needs/60 bg-needs-soft px-3 py-2">
      <h3 className="font-medium text-needs-ink">{doing} does this</h3>
      <ul className="mt-1 grid gap-1.5">
        {lines.map(({ key, words }) => (
          <li key={key} className="text-pretty">
            {words(atOnce[key])} <Links part={atOnce[key]} />
          </li>
        ))}
        {besides.map((words) => (
          <li key={words} className="text-pretty wrap-anywhere">
            {words}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Links({ part: { changes, first } }: { part: Part }) {
  return (
    <span className="wrap-anywhere">
      {first.map(({ id, group }, i) => (
        <span key={id}>
          {i > 0 && ', '}
          <Link href={`/updates/${id}`} prefetch={false} target="_blank" className="underline" title="In a new tab">
            {group}
          </Link>
        </span>
      ))}
      {changes > first.length && ` and ${changes - first.length} more`}
    </span>
  )
}
