'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Button, Commit, ErrorState, Section, Sentences, Sheet, Skeleton, TextInput } from '@/components/ui'
import type { ClusterActions } from './actions'
import { useAction } from '@/components/live'

/** Leaving a cluster so that nothing moves by it: says first what is held and what would happen. */
export function DisconnectPanel({ cluster, actions }: { cluster: ClusterDetail; actions: ClusterActions }) {
  const router = useRouter()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const plan = useAction(actions.disconnectPlan)
  const go = useAction(actions.disconnect, () => router.push('/clusters'))
  const [gone, setGone] = useState(false)
  const show = (without: boolean) => {
    setOpen(true)
    setTyped('')
    setGone(without)
    go.reset()
    plan.run({ clusterId: cluster.id, gone: without })
  }
  const found = plan.value
  return (
    <Section title="Disconnect">
      <p className="max-w-[80ch] text-ink-2">
        Never delete the registration by hand: Cluster API reads a missing one as “replace”. Disconnecting leaves what
        is held held, then releases it.
      </p>
      <div className="mt-3">
        <Button tone="danger" onClick={() => show(false)}>
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
          <Commit
            tone="danger"
            onClose={() => setOpen(false)}
            pending={go.pending}
            disabled={!found || found.wouldMove.length > 0 || typed !== cluster.name}
            onClick={() => found && go.run({ clusterId: cluster.id, confirm: typed })}
          >
            Disconnect
          </Commit>
        }
      >
        {plan.pending && <Skeleton width="100%" height={120} />}
        <ErrorState className="mb-3" error={plan.error ?? go.error} />
        {plan.error && !gone && (
          <div>
            <p className="mb-2 max-w-[70ch] text-ink-2">
              Only if it is gone for good: Drydock can forget it without asking it. Whatever it holds stays held there.
            </p>
            <Button onClick={() => show(true)}>It is gone…</Button>
          </div>
        )}
        {found && (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <Sentences title="Held, and stays held" items={found.staysHeld} empty="Nothing is held." />
            <Sentences
              title="What would move (finish or reject these first)"
              items={found.wouldMove.map(({ group, why }) => `${group}: ${why}`)}
              empty="Nothing moves by it."
            />
            <Sentences title="What Drydock will do" items={found.sentences} />
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
