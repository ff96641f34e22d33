'use client'

import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import type { MouseEvent } from 'react'
import { Button, MiddleTruncate, RelativeTime, Table, Td, Th, Tr, Version } from '@/components/ui'
import { SortTh } from '@/components/table/sort-th'
import { useSteadyRows } from '@/components/table/steady-rows'
import type { MachineDto, MachinePage } from '@/lib/services/machines/list-machines'
import { COLUMN_WORDS, columnsOf, type Column } from './columns'
import { MachineVerdict } from './verdict'

type To = (changes: Record<string, string | null>) => string

const SORTS: Partial<Record<Column | 'name', string>> = {
  name: 'name',
  version: 'version',
  age: 'age',
  error: 'severity',
}

const BESIDE = new Set<Column>(['cluster', 'version', 'phase', 'verdict'])

export function MachineTable({ page, open, to }: { page: MachinePage; open: string | null; to: To }) {
  const params = useSearchParams()
  // Beside an open drawer there is room for little.
  const columns = columnsOf(params.get('cols')).filter((c) => !open || BESIDE.has(c))
  const { rows, waiting, show, hold } = useSteadyRows(
    page.machines,
    params.toString().replace(/(^|&)machine=[^&]*/, ''),
  )
  return (
    <div {...hold}>
      {waiting && (
        <p className="mb-1 text-sm text-ink-2">
          The order has changed meanwhile.{' '}
          <Button small tone="bare" onClick={show}>
            Show it
          </Button>
        </p>
      )}
      <Table stack label="Machines">
        <thead>
          <tr>
            <Heading column="name" to={to}>
              machine
            </Heading>
            {columns.map((column) => (
              <Heading key={column} column={column} to={to}>
                {COLUMN_WORDS[column]}
              </Heading>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((machine) => (
            <Tr
              key={machine.id}
              selected={machine.id === open}
              className="cursor-pointer"
              onClick={(event) => openRow(event, to({ machine: machine.id }))}
            >
              <Td className="max-w-[280px] min-w-40">
                <Link
                  href={to({ machine: machine.id })}
                  prefetch={false}
                  onClick={(event) => openBeside(event, to({ machine: machine.id }))}
                  className="flex min-w-0 hover:underline"
                >
                  <MiddleTruncate text={machine.name} />
                </Link>
              </Td>
              {columns.map((column) => (
                <Cell key={column} column={column} machine={machine} />
              ))}
            </Tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}

/** The drawer opens without asking the server for the list again; a new tab still gets its own. */
function openBeside(event: MouseEvent, href: string) {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  window.history.pushState(null, '', href)
}

/** Anywhere in the row: but for its link, which does so itself, and for text that is being marked. */
function openRow(event: MouseEvent, href: string) {
  const onLink = event.target instanceof Element && event.target.closest('a, button') !== null
  if (!onLink && window.getSelection()?.isCollapsed !== false) openBeside(event, href)
}

function Heading({ column, to, children }: { column: Column | 'name'; to: To; children: string }) {
  const sort = SORTS[column]
  if (!sort) return <Th>{children}</Th>
  return (
    <SortTh sort={sort} first="severity" down={['severity']} to={to}>
      {children}
    </SortTh>
  )
}

function Cell({ column, machine: m }: { column: Column; machine: MachineDto }) {
  switch (column) {
    case 'cluster':
      return (
        <Td className="max-w-[140px] truncate min-[1600px]:max-w-[200px]" title={`${m.cluster} / ${m.workload}`}>
          {m.workload || m.cluster}
        </Td>
      )
    case 'group':
      return (
        <Td className="max-w-[150px] truncate text-ink-2" title={m.groupName ?? undefined}>
          {m.groupName}
        </Td>
      )
    case 'node':
      return <Td className="max-w-[220px] truncate font-mono text-sm text-ink-2">{m.node}</Td>
    case 'version':
      return (
        <Td>
          <Version>{m.version}</Version>
        </Td>
      )
    case 'phase':
      return <Td className="whitespace-nowrap">{m.phase}</Td>
    case 'verdict':
      return (
        <Td
          title={
            m.behind ? 'Its node does not have the configuration that its pool wants.' : (m.verdictReason ?? undefined)
          }
        >
          <MachineVerdict machine={m} behind={m.behind} />
        </Td>
      )
    case 'image':
      return <Td className="max-w-[200px] truncate font-mono text-sm text-ink-2">{m.bootImage}</Td>
    case 'age':
      return (
        <Td>
          <RelativeTime at={m.createdAt} bare />
        </Td>
      )
    case 'error':
      return (
        <Td
          className="w-full max-w-0 min-w-24 max-phone:w-auto max-phone:max-w-full max-phone:min-w-0"
          title={m.error ?? m.sentence}
        >
          {m.error ? (
            <span className="line-clamp-2 text-blocked">
              <span aria-hidden>✕ </span>
              {m.troubleWords ?? m.error}
            </span>
          ) : (
            m.state !== 'ready' && <span className="line-clamp-2 text-ink-2">{m.sentence}</span>
          )}
        </Td>
      )
  }
}
