'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button, ErrorState, problemOf, TextInput } from '@/components/ui'
import type { MessageActions } from './messages-page'

/** Address and token, always both: what is there is never shown, and a token goes to no other address. */
export function WebhookForm({ set, onDone }: { set: MessageActions['set']; onDone(): void }) {
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const act = useAction(set, onDone)
  const problem = (name: string) => problemOf(act.error?.fields, name)
  return (
    <form
      className="grid max-w-[640px] gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        act.run({ url, ...(token ? { token } : {}) })
      }}
    >
      <TextInput
        label="Address"
        mono
        value={url}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://alerts.example.com/hooks/drydock"
        onChange={(event) => setUrl(event.target.value)}
        problem={problem('url')}
      />
      <TextInput
        label="Token (optional)"
        mono
        type="password"
        value={token}
        autoComplete="off"
        hint="Sent as Authorization: Bearer."
        onChange={(event) => setToken(event.target.value)}
        problem={problem('token')}
      />
      {!act.error?.fields && <ErrorState error={act.error} />}
      <div>
        <Button type="submit" tone="primary" pending={act.pending}>
          Send messages there
        </Button>
      </div>
    </form>
  )
}
