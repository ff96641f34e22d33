'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Button, ErrorState, Section, Sheet, Skeleton, TextInput } from '@/components/ui'
import type { ClusterActions } from './actions'
import { useAction } from '@/components/live'

/** Leaving a cluster so that nothing moves by it: says first what is held and what would happen. */
export function DisconnectPanel({ cluster, actions }: { cluster: ClusterDetail; actions: ClusterActions }) {
  const router = useRouter()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const plan = useAction(actions.disconnectPlan)
  const go = useAction(actions.disconnect, () => router.push('/clusters'))
  const show = () => {
    setOpen(true)
    setTyped('')
    plan.run({ clusterId: cluster.id })
  }
  const found = plan.value
  return (
    <Section title="Disconnect">
      <p className="max-w-[80ch] text-ink-2">
        Never delete the registration by hand: Cluster API reads a missing one as “replace”. Disconnecting leaves what
        is held held, then releases it.
      </p>
      <div className="mt-3">
        <Button tone="danger" onClick={show}>
          Disconnect {cluster.name}…
        </Button>
      </div>
      <Sheet
        open={open}
        onClose={() => setOpen(false)}
        width={600}
        crumb={cluster.name}
        title={`Disconnect ${cluster.name}`}
        footer={
          <>
            <Button
              tone="danger"
              pending={go.pending}
              disabled={!found || found.wouldMove.length > 0 || typed !== cluster.name}
              onClick={() => found && go.run({ clusterId: cluster.id, confirm: typed })}
            >
              Disconnect
            </Button>
            <Button tone="bare" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </>
        }
      >
        {plan.pending && <Skeleton width="100%" height={120} />}
        {(plan.error ?? go.error) && <ErrorState className="mb-3" error={(plan.error ?? go.error)!} />}
        {found && (
          <div className="grid gap-4">
            <List title="Held, and stays held" items={found.staysHeld} empty="Nothing is held." />
            <List
              title="What would move (finish or reject these first)"
              items={found.wouldMove.map(({ group, why }) => `${group}: ${why}`)}
              empty="Nothing moves by it."
            />
            <List title="What Drydock will do" items={found.sentences} />
            <TextInput
              label={`Type ${cluster.name} to confirm`}
              mono
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
            />
          </div>
        )}
      </Sheet>
    </Section>
  )
}

function List({ title, items, empty }: { title: string; items: string[]; empty?: string }) {
  return (
    <div>
      <p className="font-medium">{title}</p>
      {items.length === 0 ? (
        <p className="text-ink-2">{empty}</p>
      ) : (
        <ul className="mt-1 grid list-disc gap-1 pl-4 text-ink-2">
          {items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
