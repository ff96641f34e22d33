'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import type { ActionResult } from '@/lib/auth'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { Inspection } from '@/lib/services/clusters/inspect-kubeconfig'
import { Button, ErrorState, problemOf, Section, TextInput } from '@/components/ui'
import { Found } from './found'
import { KubeconfigField, Reading } from './kubeconfig-field'
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
  const inspection = inspect.value
  return (
    <div className="max-w-[760px]">
      <h1 className="mb-1">Connect a management cluster</h1>
      <p className="mb-5 max-w-[72ch] text-ink-2">
        Give Drydock an identity of its own there: apply <code>deploy/rbac.yaml</code>, or{' '}
        <code>deploy/rbac-openshift.yaml</code> where it is an OpenShift cluster, then paste or drop the kubeconfig of
        that service account. Nothing is governed until you choose so.
      </p>
      <KubeconfigField value={kubeconfig} context={context} contexts={inspection?.contexts ?? []} onRead={read} />
      <ErrorState className="mt-4" error={inspect.error} />
      {inspection && <Reading inspection={inspection} />}
      {inspection?.acceptable && (
        <Section title="Test" aside="Connects and asks; saves nothing.">
          <Button onClick={() => test.run(input)} pending={test.pending}>
            Test the connection
          </Button>
          <ErrorState className="mt-3" error={test.error} />
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
