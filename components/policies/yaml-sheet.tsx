'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import { Commit, CopyButton, count, ErrorState, Sheet, Skeleton, Textarea } from '@/components/ui'
import type { ImportedPolicy } from '@/lib/services/policies/import-policies'
import type { ImportPreview, WarnedPolicy } from '@/lib/services/policies/preview-import'
import { AtOnceLines } from './at-once'
import { warningsOf } from './warnings'
import { alike } from './words'
import type { PolicyActions } from './types'

interface Props {
  mayWrite: boolean
  actions: PolicyActions
  onClose(): void
  /** In words. */
  onSaved(words: string): void
}

/** All policies as one text: to keep in Git, and to bring from there. */
export function YamlSheet({ mayWrite, actions, onClose, onSaved }: Props) {
  const stored = useAsked(actions.exportYaml, null)
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? stored.value
  const look = useAction(actions.lookAtYaml)
  const save = useAction(actions.importYaml, (saved) => {
    onSaved(savedWords(saved))
    onClose()
  })
  const error = save.error ?? look.error
  // Somebody changed one of them since: what it would do is to be looked at anew.
  const looked = save.error?.code === 'conflict' ? null : look.value
  const written = looked?.policies.filter(({ is }) => is !== 'same').length ?? 0
  const type = (next: string) => {
    setTyped(next)
    look.reset()
    save.reset()
  }
  const go = () => {
    if (looked) {
      const { policies, atOnce } = looked
      const seen = { looked: policies.map(({ name, was }) => ({ name, was })), goes: atOnce.goes.digest }
      return save.run({ text: text ?? '', ...seen })
    }
    save.reset()
    look.run({ text: text ?? '' })
  }
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
            onClick={go}
            pending={look.pending || save.pending}
            why={
              !text?.trim()
                ? 'there is no policy in it yet.'
                : looked && written === 0
                  ? 'it says what is there already.'
                  : undefined
            }
          >
            {looked ? `Save ${count(written, 'policy', 'policies')}` : 'See what this would do'}
          </Commit>
        ) : undefined
      }
    >
      <div className="grid gap-3">
        <p className="text-ink-2">
          One document for each policy. Saved are all of them, or none; one whose name is there already gets a new
          version, if it says something else. Policies that do not stand here stay as they are.
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
              onChange={(event) => type(event.target.value)}
            />
            <CopyButton text={text ?? ''} label="Copy the policies" />
          </>
        )}
        {looked && <Looked looked={looked} />}
        <ErrorState error={error} />
        {error?.fields && (
          <ul className="list-disc pl-5 text-sm">
            {error.fields.map(({ field, message }) => (
              <li key={`${field} ${message}`}>{field === 'text' ? message : `${field}: ${message}`}</li>
            ))}
          </ul>
        )}
      </div>
    </Sheet>
  )
}

/** Before it is saved: what would be new, and what that does at once. */
function Looked({ looked: { policies, changing, first, atOnce, warned } }: { looked: ImportPreview }) {
  const warnings = warned.flatMap((policy) => importWarnings(policy).map((words) => ({ name: policy.name, words })))
  return (
    <div role="status" className="grid gap-2">
      <ul>
        {IS.map(([is, words]) => {
          const names = policies.filter((one) => one.is === is).map(({ name }) => name)
          return names.length > 0 ? (
            <li key={is} className="wrap-anywhere">
              <span className="font-medium">
                {names.length} {words}
              </span>
              : {names.join(', ')}
            </li>
          ) : null
        })}
      </ul>
      <AtOnceLines atOnce={atOnce} doing="Saving this" />
      {warnings.length > 0 && (
        <ul className="grid gap-1">
          {warnings.map(({ name, words }) => (
            <li key={`${name} ${words}`} className="text-pretty wrap-anywhere text-needs-ink">
              <span aria-hidden>! </span>
              <span className="font-medium">{name}</span>: {words}
            </li>
          ))}
        </ul>
      )}
      <p>{changing === 0 ? 'No group gets other rules.' : `${count(changing, 'group')} would get other rules:`}</p>
      {changing > 0 && (
        <ul className="max-h-[30vh] list-disc overflow-y-auto pl-5 text-sm">
          {alike(first).map(({ words, names }) => (
            <li key={words} className="wrap-anywhere">
              {words}: {names.length === 1 ? <span className="font-medium">{names[0]}</span> : <Names names={names} />}
            </li>
          ))}
          {changing > first.length && <li>and {changing - first.length} more</li>}
        </ul>
      )}
    </div>
  )
}

/** As in the editor. */
const importWarnings = (policy: WarnedPolicy): string[] => [
  ...(policy.matching === 0 ? ['No group that is there now fits it. It holds for those that come.'] : []),
  ...warningsOf(policy),
]

function Names({ names }: { names: string[] }) {
  return (
    <details className="inline">
      <summary className="inline cursor-pointer font-medium">{count(names.length, 'group')}</summary>{' '}
      <span className="text-ink-3">({names.join(', ')})</span>
    </details>
  )
}

const IS: [ImportedPolicy['is'], string][] = [
  ['new', 'new'],
  ['changed', 'changed'],
  ['same', 'as it is'],
]

function savedWords(saved: readonly ImportedPolicy[]): string {
  const said = IS.flatMap(([is, words]) => {
    const n = saved.filter((one) => one.is === is).length
    return n > 0 ? [`${n} ${words}`] : []
  })
  return `Imported: ${said.join(', ')}.`
}

const EXAMPLE = `name: production
select:
  labels:
    env: prod
approvals: 2
notTheAuthor: true`
