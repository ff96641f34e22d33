'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import { Commit, CopyButton, count, ErrorState, Sheet, Skeleton, Textarea } from '@/components/ui'
import type { PolicyActions } from './types'

interface Props {
  mayWrite: boolean
  actions: PolicyActions
  onClose(): void
  onSaved(): void
}

/** All policies as one text: to keep in Git, and to bring from there. */
export function YamlSheet({ mayWrite, actions, onClose, onSaved }: Props) {
  const stored = useAsked(actions.exportYaml, null)
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? stored.value
  const save = useAction(actions.importYaml, onSaved)
  const problems = save.error?.fields ?? []
  return (
    <Sheet
      open
      onClose={onClose}
      width={720}
      title="Policies as YAML"
      footer={
        mayWrite ? (
          <Commit
            onClose={onClose}
            onClick={() => save.run({ text: text ?? '' })}
            pending={save.pending}
            why={text?.trim() ? undefined : 'there is no policy in it yet.'}
          >
            Save all of these
          </Commit>
        ) : undefined
      }
    >
      <div className="grid gap-3">
        <p className="text-ink-2">
          One document for each policy. Saved are all of them, or none; one whose name is there already gets a new
          version. Policies that do not stand here stay as they are.
        </p>
        {stored.pending && text === null && <Skeleton height={200} />}
        <ErrorState error={stored.error} />
        {(text !== null || stored.error) && (
          <>
            <Textarea
              label="Policies"
              mono
              rows={18}
              spellCheck={false}
              readOnly={!mayWrite}
              value={text ?? ''}
              placeholder={EXAMPLE}
              onChange={(event) => setTyped(event.target.value)}
            />
            <CopyButton text={text ?? ''} label="Copy the policies" />
          </>
        )}
        {save.value && <p role="status">Saved: {count(save.value.length, 'policy', 'policies')}.</p>}
        <ErrorState error={save.error} />
        {problems.length > 1 && (
          <ul className="list-disc pl-5 text-sm">
            {problems.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                {field}: {message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Sheet>
  )
}

const EXAMPLE = `name: production
select:
  labels:
    env: prod
approvals: 2
notTheAuthor: true`
