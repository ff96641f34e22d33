'use client'

import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Button, Section } from '@/components/ui'
import type { ClusterActions } from './actions'
import { CredentialsSheet } from './credentials-sheet'
import { leftWords } from './left-words'

interface Props {
  cluster: ClusterDetail
  mayWrite: boolean
  actions: ClusterActions
}

/** A cluster that was disconnected: what is left there, and how it is connected again as the one that it was. */
export function LeftPanel({ cluster, mayWrite, actions }: Props) {
  const [open, setOpen] = useState(false)
  // While its sheet is open it stays: the ticks come after the cluster is connected.
  return (
    <>
      {!cluster.connected && (
        <Section title="What is left">
          <ul className="grid max-w-[90ch] gap-1 text-ink-2">
            {leftWords(cluster).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          {mayWrite && (
            <div className="mt-3">
              <Button tone="primary" onClick={() => setOpen(true)}>
                Connect again…
              </Button>
            </div>
          )}
        </Section>
      )}
      {open && <CredentialsSheet again cluster={cluster} actions={actions} onClose={() => setOpen(false)} />}
    </>
  )
}
