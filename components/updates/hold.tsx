import clsx from 'clsx'
import Link from 'next/link'
import { Fragment } from 'react'
import { Answer, RelativeTime } from '@/components/ui'
import { shapeWords } from '@/lib/domain/policies'
import type { HoldLevel } from '@/lib/domain/holds'
import { agedWords, orLonger } from '@/lib/domain/holds/age'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { isClusterPaused, isGroupPaused } from '@/lib/domain/their-pause'
import { clusterGoesWords, goesOn, PAUSE_STOPS_NONE, pausedAt, pauseGoesWords, poolPauseWords } from './held-words'
import { isUnpaused } from './held-since'
import { levelWords } from './hold-words'
import { shownPlane } from './by-plane'
import { listedOf } from './standing-words'
import { lateWords } from './late-words'
import { Scaling, WaitingWorkers, type HoldProps } from './hold-scaling'

const BAD = 'rounded-md border border-blocked/40 bg-blocked-soft px-4 py-3'
const FRAMES: Record<HoldLevel, string> = {
  fresh: 'text-ink-2',
  due: 'rounded-md border border-needs/40 bg-needs-soft px-4 py-3',
  overdue: BAD,
  dangerous: BAD,
}

/** Since when a group stands still, what does not happen meanwhile, and whether that is too long. */
export function Hold(props: HoldProps) {
  const { held, holdLevel, late, unpaused, groupKind, heldBy } = props.change
  if (unpaused !== null) return <Unpaused why={unpaused} />
  if (!held) return null
  const words = levelWords(holdLevel, props.change.policy, groupKind)
  return (
    <div className={clsx('mt-3 max-w-[88ch]', FRAMES[holdLevel])}>
      <p className={clsx('text-pretty', words && 'font-medium')}>
        {held.since ? (
          <>
            {agedWords(groupKind, isUnpaused(heldBy))} for <RelativeTime at={held.since} bare />
            {orLonger(props.change)}.
          </>
        ) : (
          'It stands still; since when is not known.'
        )}{' '}
        {words}
      </p>
      {late && <p className="mt-1 text-pretty">{lateWords(groupKind, late).join(' ')}</p>}
      {isClusterPaused(held.theirs) && <ClusterPause change={props.change} />}
      {isGroupPaused(held.theirs) && groupKind === 'MachineConfigPool' && <PoolPause change={props.change} />}
      {groupKind === 'MachineConfigPool' && held.ownPause && held.theirs === null && (
        <p className="mt-1 text-pretty">{PAUSE_STOPS_NONE}</p>
      )}
      {isGroupPaused(held.theirs) && groupKind !== 'MachineConfigPool' && (
        <p className="mt-1 text-pretty">
          Somebody paused the group themselves. Drydock never takes that away: whoever set it removes{' '}
          {pausedAt(held.ownPause).map((name, i) => (
            <Fragment key={name}>
              {i > 0 && ' and '}
              {name !== 'spec.paused' && 'the annotation '}
              <code className="font-mono">{name}</code>
            </Fragment>
          ))}
          {pauseGoesWords(held.ownPause, goesOn(props.change) && held.theirs === 'group')}
        </p>
      )}
      <ShapeLine shape={props.change.shape} />
      <Scaling held={held} told={shownPlane(props.change, listedOf(props.change.policy)) !== null} />
      {held.workers && <WaitingWorkers {...props} workers={held.workers} />}
      {held.suspended.length > 0 && (
        <p className="mt-1 text-sm text-pretty text-ink-2">Meanwhile: {held.suspended.join(' ')}</p>
      )}
    </div>
  )
}

/** Also machines and machine sets of a paused Cluster are left as they are by Cluster API. */
function ClusterPause({ change }: Pick<HoldProps, 'change'>) {
  return (
    <p className="mt-1 text-pretty">
      Somebody paused the whole Cluster <code className="font-mono">{change.workloadCluster}</code>, which is neither
      Drydock’s hold nor a pause of the group: while it is so, Cluster API does nothing with its groups and machines,
      and nothing of this moves, or is late. Drydock never takes that away: whoever set it sets{' '}
      <code className="font-mono">spec.paused</code> of the Cluster to false{clusterGoesWords(change)}
    </p>
  )
}

/** Of a pool, Drydock resumes it when a person says so on its page. */
function PoolPause({ change }: Pick<HoldProps, 'change'>) {
  const [before, after] = poolPauseWords(change.held?.ownPause ?? null, goesOn(change))
  return (
    <p className="mt-1 text-pretty">
      {before}
      <Link href={`/pools/${change.groupId}`} prefetch={false} className="underline">
        the pool’s page
      </Link>
      {after}
    </p>
  )
}

/** It goes unapproved, and Drydock wanted to pause it. */
function Unpaused({ why }: { why: string }) {
  return (
    <div className={clsx('mt-3 max-w-[88ch]', BAD)}>
      <p className="font-medium text-pretty">
        Nothing holds it: Drydock wanted to pause the group when it saw the change, and could not. It tries again.
      </p>
      <Answer said="In detail:">{why}</Answer>
    </div>
  )
}

/** That the group was written as its policies say, before anything of it goes. */
function ShapeLine({ shape }: Pick<UpdateDetail, 'shape'>) {
  if (!shape?.wrote || shape.trouble) return null
  return (
    <p className="mt-1">
      Its policies ask for {shapeWords(shape.wrote)}: written to the group <RelativeTime at={shape.at!} />.
    </p>
  )
}
