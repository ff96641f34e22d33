'use client'

import Link from 'next/link'
import { Duration, MiddleTruncate, Section, Table, Td, Th, Tr, VerdictChip, Version } from '@/components/ui'
import type { ChangeMachine } from '@/lib/services/changes/get-change'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { FORETOLD, goneWords, isMadeUnasked, isOver, madeWords, stepOf, verdictOf, workersOf } from './machine-words'

const BEFORE = new Set<UpdateDetail['state']>(['waiting', 'rejected'])

/** Each machine of the group, the worst first; of a change that is over, those that it was about. */
export function UpdateMachines({
  change,
}: {
  change: Pick<UpdateDetail, 'state' | 'machinesList' | 'hull'> &
    Partial<Pick<UpdateDetail, 'decision' | 'outlook' | 'groupKind' | 'place' | 'ended' | 'madeUnasked'>> & {
      groupId?: string | null
    }
}) {
  const { machinesList: machines, madeUnasked: made = [] } = change
  const ofPool = change.groupKind === 'MachineConfigPool'
  const asked = change.place !== 'disconnected' && change.place !== 'unheard'
  const over = isOver(change.state)
  const left = change.ended === 'disconnected'
  const waits = BEFORE.has(change.state)
  // Held in the middle of it, too, that shows who is through, and who failed.
  const moving = machines.some(({ progress }) => progress && (!waits || progress.startedAt))
  // One reason for all of them is said once.
  const reasons = new Set(over ? [] : machines.flatMap((m) => m.verdictReason ?? []))
  const one = machines.length > 1 && reasons.size === 1 ? [...reasons][0] : null
  // A spare that is not there yet stands in the hull, and in no list.
  const planned = change.hull.counts.find((c) => c.mark === 'new' && !c.moving && !c.done)?.count ?? 0
  const total = Math.max(change.hull.total - planned, machines.length)
  const now = over ? ' now' : ''
  return (
    <Section
      title={ofPool ? 'Per node' : 'Per machine'}
      aside={total > machines.length ? `the ${machines.length} most pressing of ${total}` : machines.length}
    >
      {machines.length === 0 ? (
        <p className="text-ink-3">No machines are recorded for this change.</p>
      ) : (
        <>
          {one && <p className="mb-2 text-ink-2">{one}</p>}
          <Table stack label="Machines of this change">
            <thead>
              <tr>
                <Th>{ofPool ? 'node' : 'machine'}</Th>
                <Th>{over ? 'was to be' : 'verdict'}</Th>
                {moving && <Th>progress</Th>}
                {!ofPool && <Th wide>{`node${now}`}</Th>}
                <Th wide>{`version${now}`}</Th>
                <Th wide>{`state${now}`}</Th>
              </tr>
            </thead>
            <tbody>
              {machines.map((machine) => (
                <Tr key={machine.id}>
                  <Td className="max-w-[300px]">
                    {machine.state === null ? (
                      <MiddleTruncate text={machine.name} />
                    ) : (
                      <Link
                        href={
                          ofPool ? `/pools/${change.groupId}?node=${machine.name}` : `/machines?machine=${machine.id}`
                        }
                        prefetch={false}
                        className="hover:underline"
                      >
                        <MiddleTruncate text={machine.name} />
                      </Link>
                    )}
                  </Td>
                  <Td>
                    {isMadeUnasked(machine, made) ? (
                      !moving && madeWords(machine, over)
                    ) : (
                      <Verdicted machine={machine} change={change} reason={one ? null : machine.verdictReason} />
                    )}
                  </Td>
                  {moving && (
                    <Td>
                      {isMadeUnasked(machine, made) ? (
                        madeWords(machine, over)
                      ) : (
                        <Progress machine={machine} over={over} waits={waits} left={left} />
                      )}
                    </Td>
                  )}
                  {!ofPool && (
                    <Td
                      wide
                      className="max-w-[220px] truncate font-mono text-sm text-ink-2"
                      title={machine.node ?? undefined}
                    >
                      {machine.node ?? ''}
                    </Td>
                  )}
                  <Td wide>{machine.version && <Version>{machine.version}</Version>}</Td>
                  <Td wide className="max-w-[420px] text-sm wrap-anywhere text-ink-2">
                    {machine.sentence ?? goneWords(machine, asked)}
                  </Td>
                </Tr>
              ))}
            </tbody>
          </Table>
        </>
      )}
    </Section>
  )
}

function Verdicted({
  machine,
  change,
  reason,
}: {
  machine: ChangeMachine
  change: Parameters<typeof verdictOf>[1]
  reason: string | null
}) {
  const over = isOver(change.state)
  const way = verdictOf(machine, change)
  if (!way) return null
  return (
    <span className="grid">
      <VerdictChip verdict={way}>{over ? FORETOLD[way] : undefined}</VerdictChip>
      {reason && !over && <span className="text-sm text-ink-3">{reason}</span>}
    </span>
  )
}

function Progress({
  machine,
  over,
  waits,
  left,
}: {
  machine: ChangeMachine
  over: boolean
  waits: boolean
  left: boolean
}) {
  const { progress } = machine
  // While the group is held, none has its turn.
  if (waits && !progress?.startedAt)
    return <span className="text-ink-3">{machine.verdict === 'up-to-date' ? 'nothing to do' : 'not begun'}</span>
  const words = stepOf(machine, over, left)
  // What a new one was at then is of no account when the change is over: how it is now stands beside it.
  const message = over && progress?.state === 'created' ? null : progress?.message
  if (!progress || words.startsWith('not touched')) return <span className="text-ink-3">{words}</span>
  return (
    <span className={progress.state === 'failed' || progress.late ? 'text-blocked' : ''}>
      {words}
      {/* How long its update took says nothing of one that failed after it. */}
      {progress.startedAt && progress.state !== 'created' && !progress.late && (!left || progress.finishedAt) && (
        <span className="text-ink-3">
          {' '}
          <Duration from={progress.deletingAt ?? progress.startedAt} to={progress.finishedAt} />
        </span>
      )}
      {message && !machine.sentence?.includes(message.replace(/\.$/, '')) && (
        <span className="block text-sm wrap-anywhere">{message}</span>
      )}
      {workersOf(progress) && <span className="block text-sm wrap-anywhere text-ink-2">{workersOf(progress)}</span>}
    </span>
  )
}
