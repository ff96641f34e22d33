'use client'

import { useRouter } from 'next/navigation'
import { useState, type DragEvent } from 'react'
import type { ActionResult } from '@/lib/auth'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { Inspection } from '@/lib/services/clusters/inspect-kubeconfig'
import { Button, ErrorState, Facts, problemOf, Section, Select, Textarea, TextInput } from '@/components/ui'
import { Found } from './found'
import { useAction } from '@/components/live'

interface Input {
  kubeconfig: string
  context?: string
}
interface Props {
  actions: {
    inspect(input: Input): Promise<ActionResult<Inspection>>
    test(input: Input): Promise<ActionResult<Capabilities>>
    add(input: Input & { name: string }): Promise<ActionResult<{ clusterId: string }>>
  }
}

/** Paste or drop, see what is kept and refused, test, save: each step says what it did before the next is offered. */
export function ConnectForm({ actions }: Props) {
  const router = useRouter()
  const [name, setName] = useState('')
  const [kubeconfig, setKubeconfig] = useState('')
  const [context, setContext] = useState('')
  const inspect = useAction(actions.inspect)
  const test = useAction(actions.test)
  const add = useAction(actions.add, ({ clusterId }) => router.push(`/clusters/${clusterId}`))
  const input = { kubeconfig, context: context || undefined }

  const read = (text: string, chosen = '') => {
    setKubeconfig(text)
    setContext(chosen)
    test.reset()
    add.reset()
    if (text.trim()) inspect.run({ kubeconfig: text, context: chosen || undefined })
    else inspect.reset()
  }
  // A larger file is refused by size; only so much of it has to be read to say so.
  const open = (file: File) =>
    void file
      .slice(0, 300 * 1024)
      .text()
      .then((text) => read(text))
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer.files[0]
    if (!file) return
    event.preventDefault()
    open(file)
  }
  const inspection = inspect.value
  return (
    <div className="max-w-[760px]">
      <h1 className="mb-1">Connect a management cluster</h1>
      <p className="mb-5 max-w-[72ch] text-ink-2">
        Give Drydock an identity of its own there: apply <code>deploy/rbac.yaml</code>, then paste or drop the
        kubeconfig of that service account. Nothing is governed until you choose so.
      </p>
      <div onDrop={drop} onDragOver={(event) => event.preventDefault()}>
        <Textarea
          label="Kubeconfig"
          mono
          rows={10}
          spellCheck={false}
          autoComplete="off"
          value={kubeconfig}
          onChange={(event) => read(event.target.value)}
          placeholder="Paste it here, or drop the file on this field."
          hint="It is read by an allow-list, sealed, and never shown again."
        />
        <label className="btn mt-2 w-fit cursor-pointer focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
          Choose a file…
          <input
            type="file"
            className="sr-only"
            aria-label="Kubeconfig file"
            onChange={(event) => {
              const file = event.target.files?.[0]
              if (file) open(file)
              event.target.value = '' // the same file may be chosen again after it was changed
            }}
          />
        </label>
      </div>
      {inspection && inspection.contexts.length > 1 && (
        <div className="mt-4">
          <Select label="Context" value={context} onChange={(event) => read(kubeconfig, event.target.value)}>
            <option value="">Choose one of {inspection.contexts.length}</option>
            {inspection.contexts.map((c) => (
              <option key={c}>{c}</option>
            ))}
          </Select>
        </div>
      )}
      {inspect.error && <ErrorState className="mt-4" error={inspect.error} />}
      {inspection && <Reading inspection={inspection} />}
      {inspection?.acceptable && (
        <Section title="Test" aside="Connects and asks; saves nothing.">
          <Button onClick={() => test.run(input)} pending={test.pending}>
            Test the connection
          </Button>
          {test.error && <ErrorState className="mt-3" error={test.error} />}
          {test.value && <Found found={test.value} className="mt-4" />}
        </Section>
      )}
      {test.value && (
        <Section title="Save">
          <form
            className="grid max-w-[420px] gap-3"
            onSubmit={(event) => {
              event.preventDefault()
              add.run({ ...input, name })
            }}
          >
            <TextInput
              label="Name"
              mono
              value={name}
              onChange={(event) => setName(event.target.value)}
              placeholder="atlas"
              hint="How it is called on every page: short, lower case."
              problem={problemOf(add.error?.fields, 'name')}
            />
            {add.error && !problemOf(add.error.fields, 'name') && <ErrorState error={add.error} />}
            <div>
              <Button type="submit" tone="primary" pending={add.pending}>
                Save and start watching
              </Button>
            </div>
          </form>
        </Section>
      )}
    </div>
  )
}

function Reading({ inspection }: { inspection: Inspection }) {
  if (inspection.refused.length > 0) {
    return (
      <div role="alert" className="mt-4 rounded-md border border-blocked/40 bg-blocked-soft px-4 py-3">
        <p className="font-medium">Refused:</p>
        <ul className="mt-1 grid gap-1">
          {inspection.refused.map((r) => (
            <li key={r.field + r.sentence}>
              <span aria-hidden className="mr-1.5 text-blocked">
                ✕
              </span>
              {r.sentence}
            </li>
          ))}
        </ul>
      </div>
    )
  }
  return (
    <div className="mt-4 rounded-md border border-line bg-panel px-4 py-3">
      <p className="mb-1 font-medium">Drydock would keep, and nothing else:</p>
      <Facts
        items={inspection.kept.map((k) => [
          k.what,
          <span key={k.what} className="font-mono text-sm break-all">
            {k.value}
          </span>,
        ])}
      />
    </div>
  )
}
