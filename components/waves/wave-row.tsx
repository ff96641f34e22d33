'use client'

import Link from 'next/link'
import { useAction } from '@/components/live'
import { Button, Chip, count, ErrorState, RelativeTime, Td, Tr } from '@/components/ui'
import { withoutSkip } from '@/lib/domain/waves/last'
import type { RunDto, RunsDto, WaveDto } from '@/lib/services/waves/list-runs'
import type { Said } from '@/lib/services/waves/said'
import type { Asking, WaveActions } from './wave-sheet'
import { groupsWords, isSkippable, isSoaking, isThrough, standsWords, toneOf, whyWords } from './words'

export interface Props {
  run: RunDto
  may: RunsDto['may']
  actions: WaveActions
  onDone(): void
}

/** One wave of a run: where it stands, its groups, and what may be said about it. */
export function WaveRow({
  run,
  wave,
  index,
  may,
  actions,
  onDone,
  setAsking,
}: Props & { wave: WaveDto; index: number; setAsking(asking: Asking): void }) {
  const waitFor = useAction(actions.waitFor, onDone)
  const takeBack = useAction(actions.takeBack, onDone)
  const { name, wanting, through, there, groups, open, skipped, asksPerson, bound, begun, notWaitedFor, reasonAsked } =
    wave
  const of = { policyId: run.policy.id, wish: run.wish, wave: name }
  // Then nobody’s word lets anything begin but that its waves go on.
  const stopped = run.stopped !== null
  const soaks = isSoaking(wave, run.waves)
  const skippable = isSkippable(wave, run)
  return (
    <Tr>
      <Td>
        <span className="text-ink-3">{index + 1}</span> <span className="font-medium">{name}</span>
      </Td>
      <Td className="max-w-[520px] wrap-anywhere">
        <Chip tone={toneOf(wave, stopped)}>{standsWords(wave, stopped, soaks)}</Chip>
        {begun && <Spoken said={begun} what="said that it begins" />}
        {notWaitedFor && <Spoken said={notWaitedFor} what="said that it is not waited for" />}
        {whyWords(wave) && !(stopped && wave.state !== 'through') && (
          <span className="mt-1 block text-sm text-ink-2">{whyWords(wave)}</span>
        )}
      </Td>
      <Td className="max-w-[420px] wrap-anywhere">
        {groupsWords(wave)}
        {groups > wanting + there && <span className="text-ink-3"> ({count(groups, 'group')} in all)</span>}
        {open.length > 0 && (
          <span className="block text-sm">
            {open.map(({ name: group, at, changeId }, i) => (
              <span key={`${group} ${changeId}`}>
                {i > 0 && ', '}
                {changeId === null ? (
                  group
                ) : (
                  <Link href={`/updates/${changeId}`} prefetch={false} className="underline">
                    {group}
                  </Link>
                )}{' '}
                <span className="text-ink-3">{skippable && may.approve ? at : withoutSkip(at)}</span>
              </span>
            ))}
            {wanting - through > open.length && ` and ${wanting - through - open.length} more`}
          </span>
        )}
      </Td>
      <Td>
        <div className="flex flex-wrap justify-end gap-2">
          {asksPerson && !wave.allBegun && !stopped && (
            <Button
              small
              tone="primary"
              why={may.approve ? undefined : 'that needs the role approver.'}
              onClick={() => setAsking({ what: 'begin', wave: name, bound, reasonAsked })}
            >
              Begin…
            </Button>
          )}
          {begun?.back && (
            <Button
              small
              why={may.stop ? undefined : 'that needs the role operator.'}
              pending={takeBack.pending}
              onClick={() => takeBack.run(of)}
            >
              Take back that it begins
            </Button>
          )}
          {skipped && (
            <Button
              small
              why={may.stop ? undefined : 'that needs the role operator.'}
              pending={waitFor.pending}
              onClick={() => waitFor.run(of)}
            >
              Wait for it again
            </Button>
          )}
          {skippable && (
            <Button
              small
              why={may.approve ? undefined : 'that needs the role approver.'}
              onClick={() =>
                setAsking({
                  ...{ what: 'skip', wave: name, bound, through: isThrough(wave) },
                  waits: wave.state === 'waits' ? withoutSkip(wave.why ?? '') : null,
                })
              }
            >
              Do not wait for it…
            </Button>
          )}
          <ErrorState error={waitFor.error ?? takeBack.error} />
        </div>
      </Td>
    </Tr>
  )
}

function Spoken({ said: { by, at, reason }, what }: { said: Said; what: string }) {
  return (
    <span className="mt-1 block text-sm text-ink-2">
      <span className="font-medium">{by}</span> {what} <RelativeTime at={at} />
      {reason && <>: “{reason}”</>}
    </span>
  )
}
