'use client'

import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Button, Facts, Section } from '@/components/ui'
import type { ClusterActions } from './actions'
import { CredentialsSheet } from './credentials-sheet'

/** As whom Drydock comes to this cluster, and how to give it another key before the old one ends. */
export function CredentialsPanel({ cluster, actions }: { cluster: ClusterDetail; actions: ClusterActions }) {
  const [open, setOpen] = useState(false)
  return (
    <Section title="Credentials">
      <Facts
        items={[
          [
            'address',
            <span key="server" className="font-mono text-sm break-all">
              {cluster.server}
            </span>,
          ],
          [
            'identity',
            <span key="identity" className="font-mono text-sm break-all">
              {cluster.identity ?? 'not known yet'}
            </span>,
          ],
        ]}
      />
      <div className="mt-3">
        <Button onClick={() => setOpen(true)}>Replace credentials…</Button>
      </div>
      {open && <CredentialsSheet cluster={cluster} actions={actions} onClose={() => setOpen(false)} />}
    </Section>
  )
}
