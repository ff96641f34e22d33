'use client'

import { useState } from 'react'
import { AskAgain, useAsked } from '@/components/live'
import { Asking } from '@/components/openshift/asking'
import { DoneSheet } from '@/components/openshift/done-sheet'
import { useDecision } from '@/components/openshift/use-decision'
import { WhatFollows } from '@/components/openshift/what-follows'
import { besideWhy, isPast, saidOf, UNSAID, Why } from '@/components/openshift/why'
import { Commit, ErrorState, Sheet } from '@/components/ui'
import type { PoolDetail } from '@/lib/services/pools/get-pool'
import type { Doing, PoolActions } from './types'

const TITLES: Record<Doing, string> = {
  ...{ pause: 'Pause the pool', resume: 'Resume the pool' },
  stay: 'Leave the pool paused',
}

/** What follows for its nodes, the call verbatim, the server's own answer to it, why and until when; then the three ticks. */
export function ActSheet({
  pool,
  doing,
  actions,
  onClose,
}: {
  pool: PoolDetail
  doing: Doing
  actions: PoolActions
  onClose(): void
}) {
  const [said, setSaid] = useState(UNSAID)
  const action = doing === 'resume' ? 'resume' : 'pause'
  const preview = useAsked(actions.preview, { poolId: pool.id, action })
  const decision = useDecision(actions[action], actions.retry, preview)
  const { done, failed } = decision
  const title = doing === 'stay' ? `The pool ${pool.name} stays paused` : `${TITLES[doing]} ${pool.name}`

  function decide() {
    if (!preview.value) return
    decision.run({
      poolId: pool.id,
      uid: preview.value.uid,
      resourceVersion: preview.value.resourceVersion,
      generation: preview.value.generation ?? undefined,
      ...saidOf(said),
    })
  }

  if (done) {
    const newest = pool.action?.id === done.id ? pool.action : done
    return <DoneSheet {...{ title, decision, onClose }} action={newest} crumb={pool.cluster} sentence={pool.sentence} />
  }
  const fields = failed?.fields ?? []
  return (
    <Sheet
      open
      onClose={onClose}
      title={title}
      crumb={pool.cluster}
      width={560}
      footer={
        <Commit
          onClose={onClose}
          pending={decision.pending}
          disabled={preview.pending || !preview.value?.dryRun.ok || isPast(said)}
          onClick={decide}
        >
          {TITLES[doing]}
        </Commit>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <ErrorState error={preview.error} action={<AskAgain asked={preview} />} />
        {preview.value ? (
          <div className={preview.pending ? 'opacity-60' : ''} aria-busy={preview.pending}>
            <WhatFollows {...preview.value} asked={preview} />
          </div>
        ) : (
          !preview.error && <Asking height={320} />
        )}
        <Why
          said={said}
          onChange={setSaid}
          fields={fields}
          review={
            action === 'pause'
              ? 'When somebody should look at the pause again. It ends only when somebody resumes the pool.'
              : null
          }
        />
        <ErrorState error={besideWhy(failed)} />
      </div>
    </Sheet>
  )
}
