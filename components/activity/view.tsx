'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import type { ActionResult } from '@/lib/auth'
import type { AuditPage } from '@/lib/services/audit/list-audit'
import type { AuditVerdict } from '@/lib/services/audit/verify-audit'
import { getJson, problemFrom, useAction } from '@/components/live'
import { FilterBox } from '@/components/table/filter-box'
import { Button, Chip, EmptyState, ErrorState, Pager, Table, Th } from '@/components/ui'
import { ActivityRow } from './row'
import { activityHref, activityInput, KINDS, type ActivitySearch } from './search'

interface Props {
  search: ActivitySearch
  initial: AuditPage
  verify?: () => Promise<ActionResult<AuditVerdict>>
  /** This person may say where messages go. */
  messages: boolean
}

/** Who did what, where, why, and what the API server answered; newest first. */
export function ActivityView({ search, initial, verify, messages }: Props) {
  const router = useRouter()
  const [open, setOpen] = useState<string | null>(null)
  const { data, error } = useQuery({
    queryKey: ['activity', activityInput(search)],
    queryFn: ({ signal }) =>
      getJson<AuditPage>(activityHref(search, { cursor: search.cursor }, '/api/activity'), signal),
    initialData: initial,
    meta: { topics: ['decisions', 'changes', 'clusters', 'boot-images'] },
  })
  const filtered = Boolean(search.q || search.action)
  return (
    <>
      <header className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h1>Activity</h1>
        <div className="flex flex-wrap gap-2">
          {/* No page: the router must not ask for it on its own, since each export is on record. */}
          <a href={activityHref(search, {}, '/api/audit')} download className="btn">
            Export
          </a>
          {messages && (
            <Link className="btn" href="/activity/messages" prefetch={false}>
              Messages
            </Link>
          )}
          {verify && <Verify verify={verify} />}
        </div>
      </header>
      <search className="mb-3 flex flex-wrap gap-2">
        <FilterBox
          value={search.q ?? ''}
          href={(q) => activityHref(search, { q: q || undefined })}
          placeholder="Who, what, where, why"
        />
        <select
          className="input w-auto"
          aria-label="Kind of action"
          value={search.action ?? ''}
          onChange={(event) => router.push(activityHref(search, { action: event.target.value || undefined }))}
        >
          {KINDS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </search>
      {error && <ErrorState className="mb-3" error={problemFrom(error)} />}
      {data.rows.length === 0 ? (
        <EmptyState
          title={filtered ? 'Nothing was done that matches.' : 'Nothing has been done yet.'}
          action={
            filtered ? (
              <Link className="btn" href="/activity">
                Show everything
              </Link>
            ) : undefined
          }
        >
          {!filtered && 'Every decision, every change of a connection and every answer of a cluster will stand here.'}
        </EmptyState>
      ) : (
        <Table label="Activity">
          <thead>
            <tr>
              <Th>when</Th>
              <Th wide>who</Th>
              <Th>what</Th>
              <Th wide>where</Th>
              <Th wide>why</Th>
              <Th>result</Th>
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <ActivityRow
                key={row.id}
                row={row}
                known={data.known[row.id]}
                open={open === row.id}
                onToggle={() => setOpen(open === row.id ? null : row.id)}
              />
            ))}
          </tbody>
        </Table>
      )}
      <Pager
        shown={data.rows.length}
        next={data.next ? activityHref(search, { cursor: data.next }) : null}
        top={search.cursor ? activityHref(search) : null}
      />
    </>
  )
}

function Verify({ verify }: { verify: () => Promise<ActionResult<AuditVerdict>> }) {
  const check = useAction<void, AuditVerdict>(() => verify())
  const verdict = check.value
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Button onClick={() => check.run()} pending={check.pending}>
        Verify the chain
      </Button>
      <span role="status" className="empty:hidden">
        {verdict?.ok && <Chip tone="good">{verdict.rows.toLocaleString('en-GB')} rows, unbroken</Chip>}
        {verdict?.broken && (
          <Chip tone="bad">
            broken at row {verdict.broken.id}: {verdict.broken.problem}
          </Chip>
        )}
        {check.error && <Chip tone="bad">{check.error.message}</Chip>}
      </span>
    </span>
  )
}
