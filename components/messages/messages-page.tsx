'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button, Chip, EmptyState, ErrorState, RelativeTime, Section, Table, Td, Th, Tr } from '@/components/ui'
import type { ActionResult } from '@/lib/auth'
import type { MessageDto, MessagesOverview } from '@/lib/services/messages/messages-overview'
import type { Posted } from '@/lib/services/messages/post'
import { WebhookForm } from './webhook-form'

export interface MessageActions {
  set(input: { url: string; token?: string }): Promise<ActionResult<void>>
  remove(): Promise<ActionResult<void>>
  test(): Promise<ActionResult<Posted>>
}

/** Where messages go, and what became of them. */
export function MessagesPage({ overview, actions }: { overview: MessagesOverview; actions: MessageActions }) {
  const router = useRouter()
  const refresh = () => router.refresh()
  const { webhook, messages } = overview
  return (
    <div className="max-w-[1240px]">
      <nav aria-label="Where this is" className="mb-1.5 text-ink-3">
        <Link href="/activity" className="hover:underline">
          Activity
        </Link>{' '}
        / <span className="font-medium text-ink-2">Messages</span>
      </nav>
      <h1>Messages</h1>
      <p className="mt-1 mb-4 max-w-[76ch] text-pretty text-ink-2">
        Posted as JSON to one address, for whatever wakes people: a hold that is old, too old or dangerous, a rollout
        that stopped by itself, a decision that did not get through, a management cluster that is silent for 15 minutes.
      </p>
      <Section title="Where they go">
        {webhook ? (
          <Standing webhook={webhook} actions={actions} onDone={refresh} />
        ) : (
          <>
            <p className="mb-3">Nowhere: no message leaves Drydock.</p>
            <WebhookForm set={actions.set} onDone={refresh} />
          </>
        )}
      </Section>
      <Section
        title="The newest"
        aside={
          <Button small onClick={refresh}>
            Look again
          </Button>
        }
      >
        {messages.length === 0 ? (
          <EmptyState title="No message was written yet.">
            Only what happens after an address was given is told.
          </EmptyState>
        ) : (
          <Messages messages={messages} />
        )}
      </Section>
    </div>
  )
}

function Standing({
  webhook,
  actions,
  onDone,
}: {
  webhook: NonNullable<MessagesOverview['webhook']>
  actions: MessageActions
  onDone(): void
}) {
  const [changing, setChanging] = useState(false)
  const test = useAction<void, Posted>(() => actions.test(), onDone)
  const remove = useAction<void, void>(() => actions.remove(), onDone)
  return (
    <>
      <p className="mb-3 wrap-anywhere">
        To <span className="font-mono">{webhook.host}</span>, {webhook.token ? 'with' : 'without'} a token, as{' '}
        <span className="font-medium">{webhook.setBy}</span> said <RelativeTime at={webhook.setAt} />. The whole address
        is sealed and never shown again.
      </p>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Button pending={test.pending} onClick={() => test.run()}>
          Send a test message
        </Button>
        <Button onClick={() => setChanging(!changing)} aria-expanded={changing}>
          Another address
        </Button>
        <Button pending={remove.pending} onClick={() => remove.run()}>
          Send no more
        </Button>
      </div>
      <div aria-live="polite">
        {test.value && (
          <p className="mb-3">
            <Chip tone={test.value.ok ? 'good' : 'bad'}>{test.value.ok ? 'delivered' : 'not delivered'}</Chip>{' '}
            {test.value.result}, after {test.value.ms} ms.
          </p>
        )}
        <ErrorState error={test.error ?? remove.error} />
      </div>
      {changing && (
        <WebhookForm
          set={actions.set}
          onDone={() => {
            setChanging(false)
            onDone()
          }}
        />
      )}
    </>
  )
}

const TONES = { delivered: 'good', failed: 'bad', waiting: 'plain' } as const

function Messages({ messages }: { messages: MessageDto[] }) {
  return (
    <Table stack label="The newest messages">
      <thead>
        <tr>
          <Th>when</Th>
          <Th>message</Th>
          <Th>what became of it</Th>
        </tr>
      </thead>
      <tbody>
        {messages.map(({ id, kind, sentence, createdAt, state, attempts, result, nextAt }) => (
          <Tr key={id}>
            <Td className="whitespace-nowrap">
              <RelativeTime at={createdAt} />
            </Td>
            <Td className="max-w-[560px] wrap-anywhere">
              {sentence} <span className="font-mono text-sm text-ink-3">{kind}</span>
            </Td>
            <Td>
              <Chip tone={TONES[state]}>{state}</Chip>{' '}
              {result && (
                <span className="text-sm text-ink-2">
                  {result}
                  {attempts > 1 && `, tried ${attempts} times`}
                  {nextAt && (
                    <>
                      , again <RelativeTime at={nextAt} />
                    </>
                  )}
                </span>
              )}
            </Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}
