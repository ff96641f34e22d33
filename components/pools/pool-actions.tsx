'use client'

import Link from 'next/link'
import { useState } from 'react'
import { NoPermission } from '@/components/openshift/no-permission'
import { UnderWay } from '@/components/openshift/under-way'
import { Button, Day } from '@/components/ui'
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
                  , to be reviewed on <Day at={ours.reviewAt} />
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
  if (pool.hold.kept) return null
  const pauses = !pool.paused || pool.hold.held
  if (pauses ? !pool.may.act : !pool.may.resume)
    return (
      <p className="text-sm text-ink-3">
        {pauses ? 'Pausing needs the role operator.' : 'Resuming needs the role approver.'}
      </p>
    )
  if (pool.cannotWrite) return <NoPermission why={pool.cannotWrite} clusterId={pool.clusterId} />
  return !pauses ? (
    <Button tone={pool.state === 'behind' ? 'primary' : 'plain'} onClick={() => onDo('resume')}>
      Resume the pool
    </Button>
  ) : (
    <Button onClick={() => onDo('pause')}>{pool.hold.held ? 'Pause it yourself' : 'Pause the pool'}</Button>
  )
}
