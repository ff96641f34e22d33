'use client'

import Link from 'next/link'
import { useState } from 'react'
import { NoPermission } from '@/components/openshift/no-permission'
import { UnderWay } from '@/components/openshift/under-way'
import { Button, Day } from '@/components/ui'
import { isDue } from '@/lib/domain/review'
import type { PoolDetail } from '@/lib/services/pools/get-pool'
import { ActSheet } from './act-sheet'
import type { Doing, PoolActions as Actions } from './types'
import { begunBeforeWords, begunWords, changeWords, heldHere, keptWords } from './words'

/** Pause and resume, who did it last, and how far that got. */
export function PoolActions({ pool, actions }: { pool: PoolDetail; actions: Actions }) {
  const [doing, setDoing] = useState<Doing | null>(null)
  const { action, pausedWith: ours } = pool
  const { before, after } = changeWords(pool)
  const begun = begunWords(pool.hold)
  return (
    <div className="mt-3 grid justify-items-start gap-2">
      {pool.hold.change && (
        <p className="max-w-[84ch] text-pretty">
          {before}:{' '}
          <Link href={`/updates/${pool.hold.change.id}`} prefetch={false} className="underline">
            {pool.hold.change.summary}
          </Link>
          {after.length > 0 && `. ${after.join(' ')}`}
        </p>
      )}
      {begun && <p className="max-w-[84ch] text-pretty wrap-anywhere">{begun}</p>}
      {pool.hold.begunBefore.map((one) => {
        const [what, why] = begunBeforeWords(one)
        return (
          <p key={one.id} className="max-w-[84ch] text-pretty wrap-anywhere">
            {what}
            <Link href={`/updates/${one.id}`} prefetch={false} className="underline">
              {one.summary}
            </Link>
            {why}
          </p>
        )
      })}
      {pool.paused && (
        <p className="max-w-[84ch] text-pretty text-ink-2">
          {pool.hold.held ? (
            heldHere(pool.hold)
          ) : ours ? (
            <>
              Paused by {ours.actorName}
              {ours.reviewAt && (
                <>
                  , {isDue(new Date(ours.reviewAt), new Date()) ? 'due for review since' : 'to be reviewed on'}{' '}
                  <Day at={ours.reviewAt} />
                </>
              )}
              {ours.reason && <>: “{ours.reason}”</>}.
            </>
          ) : pool.pausedHere ? (
            'Paused from here; with which decision is not known.'
          ) : (
            'Paused, not from here.'
          )}
          {pool.hold.kept && ` ${keptWords(pool.hold)}`}
        </p>
      )}
      <Buttons pool={pool} onDo={setDoing} />
      {action && action.state !== 'seen' && action.state !== 'cancelled' && !doing && (
        <UnderWay
          action={action}
          retry={(action.action === 'resume' ? pool.may.resume : pool.may.act) ? actions.retry : undefined}
          onConflict={() => setDoing(action.action === 'pause' ? 'pause' : 'resume')}
        />
      )}
      {doing && <ActSheet key={doing} pool={pool} doing={doing} actions={actions} onClose={() => setDoing(null)} />}
    </div>
  )
}

function Buttons({ pool, onDo }: { pool: PoolDetail; onDo(doing: Doing): void }) {
  if (!pool.paused && pool.notPausable)
    return <p className="max-w-[84ch] text-sm text-pretty text-ink-3">{pool.notPausable}</p>
  const { reviewDue, may } = pool
  const { kept, held } = pool.hold
  const pauses = !pool.paused || held
  const resumes = !pauses && !kept
  if (!pauses && !resumes && !reviewDue) return null
  const lacks = [
    ...((pauses || reviewDue) && !may.act ? ['Pausing needs the role operator.'] : []),
    ...(resumes && !may.resume ? ['Resuming needs the role approver.'] : []),
  ].join(' ')
  if (pool.cannotWrite && (may.act || may.resume))
    return <NoPermission why={pool.cannotWrite} clusterId={pool.clusterId} />
  return (
    <div className="flex flex-wrap items-center gap-2 max-phone:grid">
      {reviewDue && may.act && <Button onClick={() => onDo('stay')}>It stays paused…</Button>}
      {resumes && may.resume && (
        <Button tone={pool.state === 'behind' ? 'primary' : 'plain'} onClick={() => onDo('resume')}>
          Resume the pool
        </Button>
      )}
      {pauses && may.act && (
        <Button onClick={() => onDo('pause')}>{held ? 'Pause it yourself' : 'Pause the pool'}</Button>
      )}
      {lacks && <p className="text-sm text-ink-3">{lacks}</p>}
    </div>
  )
}
