'use client'

import { useState } from 'react'
import { AskAgain, useAction, useAsked } from '@/components/live'
import { Button, Commit, ErrorState, Outcome, problemOf, Sheet, Textarea } from '@/components/ui'
import type { ActionResult } from '@/lib/auth'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import type { OneResult } from '@/lib/services/changes/decide-each'
import type { SeveralPreview, SeveralRow } from '@/lib/services/changes/preview-several'
import { Before, LeftOutOnes, Loading } from './before'
import { Results } from './lists'
import type { Chosen } from './selection'
import { reasonWords, resultOf, resultsWords, TITLES, updates, verbWords } from './words'

interface Looked {
  changeId: string
  fingerprint: string
  replicas?: number
  deletions?: number
  maxUnavailable?: string
  configs?: string | null
}

export interface SeveralActions {
  preview(input: { mode: DecisionMode; changes: Looked[] }): Promise<ActionResult<SeveralPreview>>
  approve(input: {
    mode: 'in-place' | 'replace'
    changes: Looked[]
    reason?: string
  }): Promise<ActionResult<OneResult[]>>
  reject(input: { changes: Looked[]; reason?: string }): Promise<ActionResult<OneResult[]>>
}

/** As many as the server takes. */
const MOST_REASON = 500

const looked = (
  { fingerprint, replicas, deletions, maxUnavailable, configs }: Omit<Looked, 'changeId'>,
  changeId: string,
): Looked => ({
  ...{ changeId, fingerprint },
  ...(replicas === undefined ? {} : { replicas }),
  ...(deletions === undefined ? {} : { deletions }),
  ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
  ...(configs === undefined ? {} : { configs }),
})
const bound = ({ deleted, ...one }: SeveralRow): Looked => looked({ ...one, deletions: deleted }, one.changeId)

/** Before: what would become of each, and which are left out. After: what became of each. */
export function SeveralSheet({
  chosen,
  mode,
  actions,
  onDecided,
  onClose,
}: {
  chosen: readonly Chosen[]
  mode: DecisionMode
  actions: SeveralActions
  /** Those of which nothing more is to be decided here. */
  onDecided(ids: string[]): void
  onClose(): void
}) {
  const [reason, setReason] = useState('')
  // What was chosen when it opened is what is decided, whatever the page behind it does.
  const [changes] = useState(() =>
    chosen.map(({ id, fingerprint, replicas }) =>
      looked({ fingerprint, ...(replicas === undefined ? {} : { replicas }) }, id),
    ),
  )
  const [results, setResults] = useState<ReadonlyMap<string, OneResult>>(new Map())
  const asked = useAsked(actions.preview, { mode, changes })
  const preview = asked.value
  const act = useAction<SeveralRow[], OneResult[]>(
    (rows) => {
      const input = { changes: rows.map(bound), ...(reason.trim() ? { reason: reason.trim() } : {}) }
      return mode === 'reject' ? actions.reject(input) : actions.approve({ ...input, mode })
    },
    (made) => {
      setResults((was) => new Map([...was, ...made.map((one) => [one.changeId, one] as const)]))
      onDecided(made.filter(({ outcome }) => outcome === 'decided').map(({ changeId }) => changeId))
    },
  )
  const rows = preview?.rows ?? []
  const told = rows.flatMap((row) => {
    const result = results.get(row.changeId)
    return result ? [{ row, told: resultOf(mode, result) }] : []
  })
  const again = told.filter((one) => one.told.again).map(({ row }) => row)
  const outcomes = told.map((one) => one.told)
  const over = results.size > 0
  const asks = reasonWords(rows)
  const typed = reason.trim().length
  const tooLong =
    typed > MOST_REASON ? `A reason has at most ${MOST_REASON} characters; this one has ${typed}.` : undefined
  const missing =
    rows.length === 0
      ? null
      : asks && typed === 0
        ? 'Give a reason first.'
        : tooLong
          ? 'Shorten the reason first.'
          : null
  return (
    <Sheet
      open
      onClose={onClose}
      width={640}
      crumb={`${updates(changes.length)} selected`}
      title={TITLES[mode]}
      footer={
        over ? (
          <>
            {again.length > 0 && (
              <Button tone="primary" onClick={() => act.run(again)} pending={act.pending} className="max-phone:grow">
                Try {again.length === 1 ? 'that one' : `those ${again.length}`} again
              </Button>
            )}
            <Button tone={again.length > 0 ? 'bare' : 'primary'} onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            {missing && (
              <p id="missing" className="basis-full text-sm text-ink-2">
                {missing}
              </p>
            )}
            <Commit
              tone={mode === 'reject' ? 'primary' : mode}
              onClose={onClose}
              onClick={() => act.run([...rows])}
              pending={act.pending}
              disabled={!preview || asked.pending || rows.length === 0 || missing !== null}
              aria-describedby={missing ? 'missing' : undefined}
            >
              {preview ? verbWords(mode, rows.length) : TITLES[mode]}
            </Commit>
          </>
        )
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <Outcome of={act.error && !act.error.fields ? act.error.message : null}>
          <ErrorState error={act.error} />
        </Outcome>
        <ErrorState error={asked.error} action={<AskAgain asked={asked} />} />
        {!preview && !asked.error && <Loading />}
        {over && (
          <section>
            <h2 className="mb-1">What became of them</h2>
            <Outcome of={resultsWords(mode, outcomes)}>
              <p role="status" className="mb-2">
                {resultsWords(mode, outcomes)}
              </p>
            </Outcome>
            <Results mode={mode} all={told} />
          </section>
        )}
        {over && preview && <LeftOutOnes all={preview.leftOut} />}
        {preview && !over && <Before preview={preview} />}
        {preview && !over && rows.length > 0 && (
          <Textarea
            label={asks ? 'Reason' : 'Reason (optional)'}
            hint={`${asks ?? ''}It is one for all, kept in the audit of each${
              mode === 'reject' ? ', and stands on each object, where whoever may read that reads it' : ''
            }.`}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            problem={tooLong ?? problemOf(act.error?.fields, 'reason')}
          />
        )}
      </div>
    </Sheet>
  )
}
