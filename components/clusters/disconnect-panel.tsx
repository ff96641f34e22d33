'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { Button, Section, Sentences, Skeleton, TextInput } from '@/components/ui'
import { ALL_THE_SAME } from '@/lib/domain/disconnect'
import type { ClusterActions } from './actions'
import { useAction } from '@/components/live'
import { NameToConfirm, VerbSheet } from './verb-sheet'

/** Leaving a cluster so that nothing moves by it: says first what is held and what would happen. */
export function DisconnectPanel({ cluster, actions }: { cluster: ClusterDetail; actions: ClusterActions }) {
  const router = useRouter()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [allTheSame, setAllTheSame] = useState('')
  const plan = useAction(actions.disconnectPlan)
  const go = useAction(actions.disconnect, () => router.push('/clusters'))
  const [gone, setGone] = useState(false)
  const show = (without: boolean) => {
    setOpen(true)
    setTyped('')
    setAllTheSame('')
    setGone(without)
    go.reset()
    plan.run({ clusterId: cluster.id, gone: without })
  }
  const found = plan.value
  const moves = found?.wouldMove.map(({ group, digest, why }) => ({ group, digest, why })) ?? []
  const named = typed === cluster.name
  return (
    <Section title="Disconnect">
      <p className="max-w-[80ch] text-ink-2">
        {cluster.discovery?.clusterApi || cluster.gate.state === 'registered'
          ? 'Never delete the registration by hand: Cluster API reads a missing one as “replace”. Disconnecting leaves what is held held, then releases the registration.'
          : 'Drydock stops watching and deletes the credentials. Nothing in the cluster changes.'}
      </p>
      <div className="mt-3">
        <Button tone="danger" onClick={() => show(false)}>
          Disconnect {cluster.name}…
        </Button>
      </div>
      {open && (
        <VerbSheet
          cluster={cluster}
          onClose={() => setOpen(false)}
          title={`Disconnect ${cluster.name}`}
          label="Disconnect"
          tone="danger"
          run={() => found && go.run({ clusterId: cluster.id, confirm: typed, gone, allTheSame, moves })}
          pending={go.pending}
          blocked={
            moves.length > 0 && allTheSame !== ALL_THE_SAME ? 'Something would move by it.' : (!found || !named) && ''
          }
          done={false}
          steps={null}
          error={plan.error ?? go.error}
        >
          {plan.pending && <Skeleton width="100%" height={120} />}
          {plan.error && !gone && (
            <div>
              <p className="mb-2 max-w-[70ch] text-ink-2">
                Only if it is gone for good: Drydock can forget it without asking it. Whatever it holds stays held
                there.
              </p>
              <Button onClick={() => show(true)}>It is gone…</Button>
            </div>
          )}
          {found && (
            <>
              <Sentences title="Held, and stays held" items={found.staysHeld} empty="Nothing is held." />
              <Sentences
                title="At a hook of Cluster API: gets the version of its Cluster by it, and the latch holds it then"
                items={found.atHook}
              />
              <Sentences
                title="What would move by it (let these finish, pause or reject them first)"
                items={found.wouldMove.map(({ group, why }) => `${group}: ${why}`)}
                empty={found.halfWay.length > 0 ? 'No group is let go by it.' : 'Nothing moves by it.'}
              />
              {found.goesOn.length > 0 && (
                <Sentences
                  title="Under way, and let go: goes on without Drydock, and stops for no policy any more"
                  items={found.goesOn}
                />
              )}
              {found.halfWay.length > 0 && <Sentences title="What it would leave half-way" items={found.halfWay} />}
              <Sentences title="What Drydock will do" items={found.sentences} />
              {moves.length > 0 && (
                <TextInput
                  label={`Where it cannot wait: type “${ALL_THE_SAME}”. What is named above then moves, and that is on record`}
                  value={allTheSame}
                  onChange={(event) => setAllTheSame(event.target.value)}
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
              <NameToConfirm cluster={cluster} typed={typed} onType={setTyped} />
            </>
          )}
        </VerbSheet>
      )}
    </Section>
  )
}
