import { Chip, CodeBlock, Facts, pretty, RelativeTime, Td, Tr } from '@/components/ui'
import type { AuditRow } from '@/lib/services/audit/filter'
import { actionWords } from './words'

const RESULTS = {
  ok: { tone: 'good', word: 'done' },
  refused: { tone: 'bad', word: 'refused' },
  failed: { tone: 'bad', word: 'failed' },
} as const

interface Props {
  row: AuditRow
  open: boolean
  onToggle(): void
}

/** One event as a sentence; opened, everything that was kept of it. */
export function ActivityRow({ row, open, onToggle }: Props) {
  const result = RESULTS[row.result as keyof typeof RESULTS] ?? { tone: 'plain' as const, word: row.result }
  // The operator's configuration is called "cluster" everywhere: the cluster's own name tells more.
  const name = row.target.kind === 'MachineConfiguration' && row.cluster ? row.cluster.name : row.target.name
  return (
    <>
      <Tr selected={open}>
        <Td className="text-ink-2">
          <RelativeTime at={row.at} />
        </Td>
        <Td wide className="whitespace-nowrap">
          {row.actor.name}
        </Td>
        <Td>
          <button
            type="button"
            aria-expanded={open}
            onClick={onToggle}
            className="min-h-6 text-left hover:underline pointer-coarse:min-h-11"
          >
            <span className="hidden max-phone:inline">{row.actor.name}: </span>
            {actionWords(row.action)} <span className="font-mono text-sm [overflow-wrap:anywhere]">{name}</span>
          </button>
        </Td>
        <Td wide className="text-ink-2">
          {row.cluster?.name ?? '—'}
        </Td>
        <Td wide className="max-w-[36ch] text-ink-2">
          {row.reason}
        </Td>
        <Td>
          <Chip tone={result.tone}>{result.word}</Chip>
        </Td>
      </Tr>
      {open && (
        <tr>
          <td colSpan={6} className="bg-sunk">
            <div className="grid gap-3 py-2 pl-1">
              <Facts
                items={[
                  ['action', <code key="a">{row.action}</code>],
                  ['on', `${row.target.kind} ${row.target.name}`],
                  ['where', row.cluster?.name ?? 'Drydock itself'],
                  ['why', row.reason ?? 'no reason given'],
                  ['row', <span key="h" className="font-mono text-xs break-all">{`${row.id} · ${row.hash}`}</span>],
                ]}
              />
              {row.answer && <CodeBlock label="The API server answered" text={row.answer} wrap />}
              {Object.keys(row.details).length > 0 && <CodeBlock label="Details" text={pretty(row.details)} wrap />}
            </div>
          </td>
        </tr>
      )}
    </>
  )
}
