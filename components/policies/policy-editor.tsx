'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { AskAgain, useAction, useAsked } from '@/components/live'
import { Button, ErrorState, LinkButton } from '@/components/ui'
import { useTyped } from '@/components/updaters/form'
import type { Rules } from '@/lib/domain/policies'
import type { PolicyDto } from '@/lib/services/policies/list-policies'
import type { PolicyVersion } from '@/lib/services/policies/policy-versions'
import { keep, useKept } from './draft'
import { EditorFields } from './editor-fields'
import { keptAs, keptTyped } from './kept'
import { TimesFields } from './times-fields'
import { NextRollout } from './next-rollout'
import { isUnanswered, LiveLine, Preview, ShortPreview } from './preview'
import { Versions } from './policy-versions'
import { RemoveSheet } from './remove-sheet'
import { EMPTY, specOf, typedOf, type Typed } from './typed'
import type { PolicyActions } from './types'
import { WaveFields } from './wave-fields'

interface Props {
  /** Null: a new one. */
  policy: PolicyDto | null
  versions: PolicyVersion[]
  builtIn: Rules
  /** Whose draft it is. */
  userId: string
  may: { write: boolean; plan: boolean }
  actions: PolicyActions
}

/** One policy, as it was typed last in this tab, where that was not saved. */
export function PolicyEditor(props: Props) {
  const { policy, userId, may } = props
  const key = keptAs(userId, policy)
  const kept = keptTyped(useKept(key))
  const [thrown, setThrown] = useState(false)
  const draft = may.write && !thrown ? kept : null
  const throwAway = () => {
    keep(key, null)
    setThrown(true)
  }
  return <Editor key={draft === null ? 'stored' : 'kept'} {...{ ...props, draft, throwAway, keepAs: key }} />
}

interface EditorProps extends Props {
  draft: Typed | null
  throwAway(): void
  keepAs: string
}

/** On the left what it says, on the right what that would do, as it is typed. */
function Editor({ policy, versions, builtIn, may, actions, draft: kept, throwAway, keepAs }: EditorProps) {
  const router = useRouter()
  const [before] = useState<Typed>(
    policy?.spec ? typedOf(policy.name, policy.spec) : { ...EMPTY, name: policy?.name ?? '' },
  )
  const [typed, bind, put] = useTyped<Typed>(kept ?? before)
  const [removing, setRemoving] = useState(false)
  const ids = policy ? { policyId: policy.id, version: policy.version } : {}
  const draft = { ...ids, name: typed.name.trim(), spec: specOf(typed) }
  const answered = useAsked(actions.preview, draft)
  // What cannot be previewed leaves what was shown before, which is said.
  const [last, setLast] = useState(answered.value)
  if (answered.value && answered.value !== last) setLast(answered.value)
  const asked = { ...answered, value: answered.value ?? last }
  const [tried, setTried] = useState('')
  const save = useAction(
    async (input: typeof draft & { goes?: string }) => {
      const result = await actions.save(input)
      // By now it would do something else.
      if (!result.ok && result.error.code === 'conflict') answered.again()
      return result
    },
    () => {
      keep(keepAs, null)
      router.push('/policies')
    },
  )
  const unchanged = JSON.stringify(typed) === JSON.stringify(before)
  const same = policy?.spec !== null && unchanged
  const [first] = useState(typed)
  useEffect(() => {
    // Before anything is typed, what was kept may not have been read yet.
    if (may.write && typed !== first) keep(keepAs, unchanged ? null : JSON.stringify(typed))
  }, [may.write, keepAs, unchanged, typed, first])
  // What saving it was refused for is said of what was saved, and not of what was typed since.
  const refused = tried === JSON.stringify(draft) ? save.error : null
  const unanswered = isUnanswered(answered.error)
  const why = same
    ? 'nothing is changed yet.'
    : answered.pending
      ? 'what it would do is being looked at.'
      : answered.error?.fields
        ? 'what is wrong in it has to be mended first.'
        : unanswered && 'what it would do could not be looked at.'
  const fields = refused?.fields ?? asked.error?.fields
  return (
    <div className="max-w-[1320px]">
      <nav aria-label="Where this is" className="mb-1.5 text-ink-3">
        <Link href="/policies" className="hover:underline">
          Policies
        </Link>{' '}
        / <span className="font-medium text-ink-2">{policy?.name ?? 'new'}</span>
      </nav>
      <h1 className="mb-4">{policy ? `Policy ${policy.name}` : 'A new policy'}</h1>
      {policy && !policy.spec && (
        <ErrorState
          className="mb-4"
          error={{
            message: 'What it says cannot be read, so nothing is approved anywhere.',
            hint: 'Something else than Drydock wrote it. What you save here takes its place.',
          }}
        />
      )}
      {kept !== null && !unchanged && (
        <p role="status" className="mb-4 flex flex-wrap items-center gap-2 text-ink-2">
          This is what you typed before, and did not save.
          <Button small onClick={throwAway}>
            Throw it away
          </Button>
        </p>
      )}
      <div className="grid grid-cols-2 gap-8 max-[1000px]:grid-cols-1">
        <form
          className="grid content-start gap-5 max-[1000px]:**:scroll-mb-36"
          onSubmit={(event) => {
            event.preventDefault()
            // Also by a key: what is saved is what was looked at.
            if (why) return
            setTried(JSON.stringify(draft))
            const goes = answered.value?.atOnce?.goes.digest
            save.run({ ...draft, ...(goes === undefined ? {} : { goes }) })
          }}
        >
          <EditorFields bind={bind} fields={fields} builtIn={builtIn} readOnly={!may.write} />
          <WaveFields typed={typed} put={put} bind={bind} fields={fields} readOnly={!may.write} />
          <TimesFields typed={typed} put={put} bind={bind} fields={fields} readOnly={!may.write} />
          {!fields && <ErrorState error={refused} />}
          {may.write && <ShortPreview asked={asked} />}
          {may.write ? (
            <div className="flex flex-wrap items-center gap-2">
              <Button type="submit" tone="primary" pending={save.pending} why={why}>
                Save
              </Button>
              {unanswered && <AskAgain asked={answered}>Look again</AskAgain>}
              <LinkButton href="/policies" tone="bare" onClick={() => keep(keepAs, null)}>
                Cancel
              </LinkButton>
              {policy && (
                <Button tone="danger" className="ml-auto" onClick={() => setRemoving(true)}>
                  Remove…
                </Button>
              )}
            </div>
          ) : (
            <p className="text-sm text-ink-3">Writing policies needs the role admin.</p>
          )}
          {may.write && <LiveLine asked={asked} />}
        </form>
        <Preview asked={asked} mayPlan={may.plan}>
          {(asked.value?.matching ?? 0) > 0 && <NextRollout simulate={actions.simulate} draft={draft} />}
        </Preview>
      </div>
      {versions.length > 0 && (
        <Versions versions={versions} onAgain={may.write ? ({ name, spec }) => put(typedOf(name, spec)) : undefined} />
      )}
      {removing && policy && <RemoveSheet policy={policy} actions={actions} onClose={() => setRemoving(false)} />}
    </div>
  )
}
