'use client'

import { useState, type ReactNode } from 'react'
import type { Failed } from '@/components/live'
import { Commit, ErrorState, problemOf, Sheet, Textarea, TextInput } from '@/components/ui'

/** Something that is done with a reason: what it does, and why it is done. */
export function ReasonSheet({
  crumb,
  title,
  verb,
  tone,
  optional = false,
  over = null,
  name = null,
  hint,
  act,
  onRun,
  onClose,
  children,
}: {
  crumb: string
  title: string
  verb: string
  tone: 'primary' | 'danger'
  /** It may be done without one. */
  optional?: boolean
  /** Why it cannot be done any more: somebody else did it meanwhile. */
  over?: string | null
  /** What is typed besides, before it can be done. */
  name?: string | null
  hint: string
  act: { pending: boolean; error: Failed | null }
  onRun(reason: string | undefined, typedName: string | undefined): void
  onClose(): void
  children: ReactNode
}) {
  const [typed, setTyped] = useState('')
  const [typedName, setTypedName] = useState('')
  const reason = typed.trim() || undefined
  // A name may be asked for that was not, as this was opened.
  const toldAtField = act.error?.fields?.every(
    ({ field }) => field === 'reason' || (field === 'typedName' && name !== null),
  )
  // What this person sent, and nobody answered yet, is not somebody else's.
  const missing =
    (act.pending ? null : over) ??
    (!optional && !reason
      ? 'Give a reason first.'
      : name !== null && typedName !== name
        ? 'Type the name first.'
        : null)
  return (
    <Sheet
      open
      onClose={onClose}
      crumb={crumb}
      title={title}
      footer={
        <>
          {missing && (
            <p id="missing" className="basis-full text-sm text-ink-2">
              {missing}
            </p>
          )}
          <Commit
            tone={tone}
            onClose={onClose}
            onClick={() => onRun(reason, typedName || undefined)}
            pending={act.pending}
            disabled={missing !== null}
            aria-describedby={missing ? 'missing' : undefined}
          >
            {verb}
          </Commit>
        </>
      }
    >
      <div className="grid gap-4">
        {children}
        <Textarea
          label={optional ? 'Reason (optional)' : 'Reason'}
          hint={hint}
          value={typed}
          maxLength={500}
          onChange={(event) => setTyped(event.target.value)}
          problem={problemOf(act.error?.fields, 'reason')}
        />
        {name !== null && (
          <TextInput
            mono
            label={
              <>
                Type <code className="select-all">{name}</code> to confirm
              </>
            }
            problem={problemOf(act.error?.fields, 'typedName')}
            value={typedName}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTypedName(event.target.value)}
          />
        )}
        {!toldAtField && <ErrorState error={act.error} />}
      </div>
    </Sheet>
  )
}
