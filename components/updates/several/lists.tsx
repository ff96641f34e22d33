import Link from 'next/link'
import type { ReactNode } from 'react'
import { Answer, Chip } from '@/components/ui'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import type { LeftOut, SeveralRow } from '@/lib/services/changes/preview-several'
import { KIND_WORDS } from '../words'
import { KINDS, meansWords, TONES, type Told } from './words'

const LIST = 'divide-y divide-line border-y border-line'

/** Its own page, beside this one: what was chosen stays. */
function Name({ id, name, where }: { id: string; name: string; where: ReactNode }) {
  return (
    <span className="wrap-anywhere">
      <Link href={`/updates/${id}`} target="_blank" prefetch={false} className="font-medium hover:underline">
        {name}
        <span className="sr-only"> (its page, in a new tab)</span>
      </Link>{' '}
      <span className="text-sm text-ink-3">{where}</span>
    </span>
  )
}

const whereOf = ({
  clusterName,
  workloadCluster,
  groupKind,
}: Pick<SeveralRow, 'clusterName' | 'workloadCluster' | 'groupKind'>) =>
  `${clusterName} / ${workloadCluster} · ${KIND_WORDS[groupKind] ?? groupKind}`

/** What would be decided, one by one. */
export function Going({ rows }: { rows: readonly SeveralRow[] }) {
  return (
    <ul className={LIST}>
      {rows.map((row) => (
        <li key={row.changeId} className="grid gap-0.5 py-2">
          <span className="flex flex-wrap items-baseline justify-between gap-x-3">
            <Name id={row.changeId} name={row.groupName} where={whereOf(row)} />
            <span className="font-mono text-sm wrap-anywhere text-ink-2">{row.summary}</span>
          </span>
          <span className="text-pretty text-ink-2">{row.headline}</span>
          {meansWords(row).map((words) => (
            <span key={words} className="text-sm text-pretty wrap-anywhere text-ink-2">
              {words}
            </span>
          ))}
          {row.risks.length > 0 && (
            <span className="mt-1 rounded-md border border-blocked/40 bg-blocked-soft px-2.5 py-1.5 text-sm text-pretty">
              {row.risks.join(' ')}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What is not decided with the others, and why. */
export function Out({ all }: { all: readonly LeftOut[] }) {
  return (
    <ul className={LIST}>
      {all.map(({ changeId, groupName, clusterName, workloadCluster, why, hint }) => (
        <li key={changeId} className="grid gap-0.5 py-2">
          <Name
            id={changeId}
            name={groupName ?? 'an update that is gone'}
            where={clusterName && `${clusterName} / ${workloadCluster}`}
          />
          <span className="text-sm text-pretty text-ink-2">
            {why} {hint}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** What became of each: what was refused first. */
export function Results({ mode, all }: { mode: DecisionMode; all: readonly { row: SeveralRow; told: Told }[] }) {
  const refusedFirst = [...all].sort((a, b) => ORDER[a.told.kind] - ORDER[b.told.kind])
  return (
    <ul className={LIST}>
      {refusedFirst.map(({ row, told }) => (
        <li key={row.changeId} className="grid gap-0.5 py-2">
          <span className="flex flex-wrap items-baseline justify-between gap-x-3">
            <Name id={row.changeId} name={row.groupName} where={whereOf(row)} />
            <Chip tone={TONES[told.kind]}>{KINDS(mode)[told.kind]}</Chip>
          </span>
          <span className="text-sm text-pretty text-ink-2">
            {told.words} {told.hint}
          </span>
          {told.answer && <Answer>{told.answer}</Answer>}
        </li>
      ))}
    </ul>
  )
}
const ORDER: Record<Told['kind'], number> = { refused: 0, unanswered: 1, 'not-begun': 2, kept: 3, done: 4 }
