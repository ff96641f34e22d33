'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import { Button, Commit, ErrorState, LinkButton, RelativeTime, Section, Sheet } from '@/components/ui'
import { useTyped } from '@/components/updaters/form'
import type { Rules } from '@/lib/domain/policies'
import type { PolicyDto } from '@/lib/services/policies/list-policies'
import type { PolicyVersion } from '@/lib/services/policies/policy-versions'
import { EditorFields } from './editor-fields'
import { TimesFields } from './times-fields'
import { Preview } from './preview'
import { EMPTY, specOf, typedOf, type Typed } from './typed'
import type { PolicyActions } from './types'
import { WaveFields } from './wave-fields'
import { rulesWords, selectionWords } from './words'

interface Props {
  /** Null: a new one. */
  policy: PolicyDto | null
  versions: PolicyVersion[]
  builtIn: Rules
  may: { write: boolean; plan: boolean }
  actions: PolicyActions
}

/** One policy: on the left what it says, on the right what that would do, as it is typed. */
export function PolicyEditor({ policy, versions, builtIn, may, actions }: Props) {
  const router = useRouter()
  const [before] = useState<Typed>(
    policy?.spec ? typedOf(policy.name, policy.spec) : { ...EMPTY, name: policy?.name ?? '' },
  )
  const [typed, bind, put] = useTyped(before)
  const [removing, setRemoving] = useState(false)
  const ids = policy ? { policyId: policy.id, version: policy.version } : {}
  const draft = { ...ids, name: typed.name.trim(), spec: specOf(typed) }
  const asked = useAsked(actions.preview, draft)
  const save = useAction(actions.save, () => router.push('/policies'))
  const same = policy?.spec !== null && JSON.stringify(typed) === JSON.stringify(before)
  const fields = save.error?.fields ?? asked.error?.fields
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
      <div className="grid grid-cols-2 gap-8 max-[1000px]:grid-cols-1">
        <form
          className="grid content-start gap-5"
          onSubmit={(event) => {
            event.preventDefault()
            save.run(draft)
          }}
        >
          <EditorFields bind={bind} fields={fields} builtIn={builtIn} readOnly={!may.write} />
          <WaveFields typed={typed} put={put} bind={bind} fields={fields} readOnly={!may.write} />
          <TimesFields typed={typed} put={put} bind={bind} fields={fields} readOnly={!may.write} />
          {!fields && <ErrorState error={save.error} />}
          {may.write ? (
            <div className="flex flex-wrap items-center gap-2">
              <Button
                type="submit"
                tone="primary"
                pending={save.pending}
                why={same ? 'nothing is changed yet.' : undefined}
              >
                Save
              </Button>
              <LinkButton href="/policies" tone="bare">
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
        </form>
        <Preview asked={asked} mayPlan={may.plan} />
      </div>
      {versions.length > 0 && <Versions versions={versions} />}
      {removing && policy && <RemoveSheet policy={policy} remove={actions.remove} onClose={() => setRemoving(false)} />}
    </div>
  )
}

function Versions({ versions }: { versions: PolicyVersion[] }) {
  return (
    <Section title="Versions">
      <ol className="grid gap-1.5">
        {versions.map(({ version, name, spec, actorName, at }) => (
          <li key={version}>
            <span className="text-ink-3">
              {version}, {actorName}, <RelativeTime at={at} />:
            </span>{' '}
            {spec ? (
              <>
                <span className="font-medium">{name}</span> for {selectionWords(spec.select)}: {rulesWords(spec)}
              </>
            ) : (
              'removed, or it cannot be read'
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function RemoveSheet({
  policy,
  remove,
  onClose,
}: {
  policy: PolicyDto
  remove: PolicyActions['remove']
  onClose(): void
}) {
  const router = useRouter()
  const act = useAction(remove, () => router.push('/policies'))
  return (
    <Sheet
      open
      onClose={onClose}
      crumb="Policies"
      title={`Remove ${policy.name}`}
      footer={
        <Commit
          tone="danger"
          onClose={onClose}
          onClick={() => act.run({ policyId: policy.id, version: policy.version })}
          pending={act.pending}
        >
          Remove {policy.name}
        </Commit>
      }
    >
      <div className="grid gap-3">
        <p>
          What it asks for, less specific policies say from then on, or what is built in. Approvals that were given
          stand; changes that wait are looked at anew at once.
        </p>
        <p className="text-ink-2">Its versions stay readable, and so does what applied when something was decided.</p>
        <ErrorState error={act.error} />
      </div>
    </Sheet>
  )
}
