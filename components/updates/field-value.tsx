import { Chip } from '@/components/ui'
import type { FieldChange } from '@/lib/domain/changes/types'
import { isSaidOnce, linesBetween, type DiffLine } from './value-diff'

/** Now and then: side by side, or line by line where that is long. */
export function FieldValue({ field, onlyThen = false }: { field: FieldChange; onlyThen?: boolean }) {
  const lines = linesBetween(field.current, field.desired)
  if (lines)
    return (
      <>
        <span className="block max-h-96 overflow-auto rounded-md border border-line bg-panel py-1" tabIndex={0}>
          {lines.map((line, i) => (
            <Line key={i} line={line} />
          ))}
        </span>
        {field.secret && <Masked />}
      </>
    )
  if (onlyThen || isSaidOnce(field)) return <Value field={field} side="desired" />
  return (
    <>
      <Value field={field} side="current" />
      <span className="px-1.5 font-sans text-ink-3">
        <span aria-hidden>→</span>
        <span className="sr-only">becomes</span>
      </span>
      <Value field={field} side="desired" />
    </>
  )
}

const MARKS = {
  same: { mark: ' ', said: '', tone: 'text-ink-3' },
  gone: { mark: '−', said: 'removed: ', tone: 'text-ink-3 line-through decoration-line-strong' },
  new: { mark: '+', said: 'added: ', tone: 'bg-in-place-soft' },
  'left-out': { mark: '⋯', said: '', tone: 'font-sans text-ink-3' },
} as const

function Line({ line: { kind, text } }: { line: DiffLine }) {
  const { mark, said, tone } = MARKS[kind]
  return (
    <span className={`block min-w-fit px-2 whitespace-pre ${tone}`}>
      <span aria-hidden className="inline-block w-4 no-underline select-none">
        {mark}
      </span>
      <span className="sr-only">{said}</span>
      {text}
    </span>
  )
}

function Value({ field, side }: { field: FieldChange; side: 'current' | 'desired' }) {
  if (!(side in field))
    return <span className="font-sans text-ink-3">{side === 'current' ? 'not set' : 'removed'}</span>
  const value = field[side]
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (
    <span
      className={side === 'current' ? 'wrap-anywhere text-ink-3 line-through decoration-line-strong' : 'wrap-anywhere'}
    >
      {text}
      {field.secret && side === 'desired' && <Masked />}
    </span>
  )
}

const Masked = () => <Chip className="ml-1.5 font-sans">masked</Chip>
