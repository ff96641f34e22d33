import { Chip, EmptyState } from '@/components/ui'
import type { ConfigChange } from '@/lib/domain/pools/config-diff'
import type { Line } from '@/lib/domain/pools/lines'
import type { ConfigDiffDto } from '@/lib/services/pools/diff-config'

const KINDS = { added: 'added', removed: 'removed', changed: 'changed' } as const
const PARTS: Record<ConfigChange['part'], string> = {
  value: 'setting',
  'kernel argument': 'kernel argument',
  extension: 'extension',
  file: 'file',
  unit: 'systemd unit',
  user: 'user',
  other: 'part of the configuration',
}

/** What differs between two rendered configurations, and what taking it up does to a node. */
export function ConfigChanges({ diff }: { diff: ConfigDiffDto }) {
  if (diff.from.name === diff.to.name)
    return <EmptyState title="Nothing differs.">What the nodes have is what the pool wants.</EmptyState>
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-pretty text-ink-2">{diff.effect}</p>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {diff.changes.map((change, i) => (
          <li key={`${i}/${change.part}/${change.name}`}>
            <p className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-mono text-sm wrap-anywhere">{change.name}</span>
              <span className="text-sm text-ink-3">{PARTS[change.part]}</span>
              <Chip>{KINDS[change.kind]}</Chip>
            </p>
            {change.note && <p className="mt-0.5 text-sm text-ink-2">{change.note}</p>}
            {(change.current ?? change.desired) !== null && <Words change={change} />}
            {change.lines && <Lines lines={change.lines} name={change.name} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Words({ change: { current, desired } }: { change: ConfigChange }) {
  return (
    <p className="mt-0.5 font-mono text-sm wrap-anywhere">
      {current !== null && <span className="text-ink-3 line-through decoration-line-strong">{current}</span>}
      {current !== null && desired !== null && (
        <span className="px-1.5 font-sans text-ink-3">
          <span aria-hidden>→</span>
          <span className="sr-only">becomes</span>
        </span>
      )}
      {desired}
    </p>
  )
}

const LOOKS = {
  '-': { mark: '−', said: 'removed: ', look: 'text-ink-3 line-through decoration-line-strong' },
  '+': { mark: '+', said: 'added: ', look: 'bg-in-place-soft' },
  ' ': { mark: ' ', said: '', look: 'text-ink-2' },
} as const

function Lines({ lines, name }: { lines: Line[]; name: string }) {
  return (
    <div
      role="region"
      aria-label={`Lines of ${name}`}
      tabIndex={0}
      className="mt-1 max-h-96 overflow-auto rounded-md border border-line bg-panel py-1 font-mono text-sm"
    >
      {lines.map((line, i) =>
        line.sign === 'skip' ? (
          <span key={i} className="block px-2 font-sans text-ink-3">
            ⋯ {line.count} {line.count === 1 ? 'line' : 'lines'} the same
          </span>
        ) : (
          <span key={i} className={`block min-w-fit px-2 whitespace-pre ${LOOKS[line.sign].look}`}>
            <span aria-hidden className="inline-block w-4 select-none">
              {LOOKS[line.sign].mark}
            </span>
            <span className="sr-only">{LOOKS[line.sign].said}</span>
            {line.text}
          </span>
        ),
      )}
    </div>
  )
}
