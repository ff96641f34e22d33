import { ChevronRight } from 'lucide-react'
import clsx from 'clsx'
import { Chip, CodeBlock, Facts, pretty, RelativeTime, Td, Tr } from '@/components/ui'
import { plainReason } from '@/lib/domain/latch/names'
import type { AuditRow } from '@/lib/services/audit/filter'
import type { AuditKnown } from '@/lib/services/audit/known'
import { actionWords, answerLabel, factsOf, outcomeOf } from './words'

interface Props {
  row: AuditRow
  known: AuditKnown | undefined
  open: boolean
  onToggle(): void
}

/** One event as a sentence; opened, everything that was kept of it. The whole row opens it, its button with the keyboard. */
export function ActivityRow({ row, known, open, onToggle }: Props) {
  const outcome = outcomeOf(row, known)
  const facts = factsOf(row, known)
  // The operator's configuration is called "cluster" everywhere: the cluster's own name tells more.
  const name = row.target.kind === 'MachineConfiguration' && row.cluster ? row.cluster.name : row.target.name
  // Text that is being marked, to be copied, is no click.
  const toggle = () => (window.getSelection()?.isCollapsed === false ? undefined : onToggle())
  return (
    <>
      <Tr selected={open} onClick={toggle} className="cursor-pointer">
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
            className="flex min-h-6 items-center gap-1.5 text-left pointer-coarse:min-h-11"
          >
            <ChevronRight
              size={13}
              aria-hidden
              className={clsx('flex-none text-ink-3 transition-transform', open && 'rotate-90')}
            />
            {/* Anything in it may be long, and the result stands beside it on a phone as well. */}
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <span className="hidden max-phone:inline">{row.actor.name}: </span>
              {actionWords(row)} <span className="font-mono text-sm">{name}</span>
              {facts.length > 0 && (
                <span className="text-sm text-ink-2">
                  {' · '}
                  {facts.join(' · ')}
                </span>
              )}
              {outcome.line && <span className="block text-sm text-ink-3">{outcome.line}</span>}
            </span>
          </button>
        </Td>
        <Td wide className="text-ink-2">
          {row.cluster?.name ?? '—'}
        </Td>
        <Td wide className="max-w-[44ch] min-w-[26ch] wrap-anywhere text-ink-2">
          {/* Opened, the row has it whole. */}
          <span className={open ? undefined : 'line-clamp-3'}>{row.reason && plainReason(row.reason)}</span>
        </Td>
        <Td>
          <Chip tone={outcome.tone}>{outcome.word}</Chip>
        </Td>
      </Tr>
      {open && (
        <tr>
          <td colSpan={6} className="bg-sunk">
            <div className="grid gap-3 py-2 pl-1 [contain:inline-size]">
              <Facts
                items={[
                  ['action', <code key="a">{row.action}</code>],
                  ['on', `${row.target.kind} ${row.target.name}`],
                  ['where', row.cluster?.name ?? 'Drydock itself'],
                  ...whyOf(row),
                  ['row', <span key="h" className="font-mono text-xs break-all">{`${row.id} · ${row.hash}`}</span>],
                ]}
              />
              {row.answer && <CodeBlock label={answerLabel(row)} text={row.answer} wrap />}
              {Object.keys(row.details).length > 0 && <CodeBlock label="Details" text={pretty(row.details)} wrap />}
            </div>
          </td>
        </tr>
      )}
    </>
  )
}

/** What Drydock does by itself carries out what somebody decided: that has the reason. */
const whyOf = ({ reason, actor }: AuditRow): [string, string][] =>
  reason || actor.kind === 'user' ? [['why', reason ? plainReason(reason) : 'no reason given']] : []
