'use client'

import Link from 'next/link'
import { Duration, MiddleTruncate, Section, Table, Td, Th, Tr, VerdictChip, Version } from '@/components/ui'
import type { Verdict } from '@/lib/domain/verdict'
import { VERDICTS } from '@/lib/domain/verdict'
import type { ChangeMachine } from '@/lib/services/changes/get-change'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

const PROGRESS: Record<string, string> = {
  waiting: 'waiting for its turn',
  updating: 'updating',
  done: '✓ updated in place',
  failed: '✕ failed',
  created: '✓ new',
  deleting: 'being deleted',
  deleted: '✓ deleted',
}

const BEFORE = new Set<UpdateDetail['state']>(['waiting', 'rejected'])
const OVER = new Set<UpdateDetail['state']>(['done', 'superseded', 'reverted'])

/** Each machine of the group, the worst first. */
export function UpdateMachines({ change }: { change: UpdateDetail }) {
  const machines = change.machinesList
  const over = OVER.has(change.state)
  const moving = !BEFORE.has(change.state) && machines.some((m) => m.progress)
  // One reason for all of them is said once.
  const reasons = new Set(over ? [] : machines.flatMap((m) => m.verdictReason ?? []))
  const one = machines.length > 1 && reasons.size === 1 ? [...reasons][0] : null
  const total = Math.max(change.hull.total, machines.length)
  return (
    <Section
      title="Per machine"
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
                <Th>machine</Th>
                <Th>{over ? 'was to be' : 'verdict'}</Th>
                {moving && <Th>progress</Th>}
                <Th wide>node</Th>
                <Th wide>version</Th>
                <Th wide>state</Th>
              </tr>
            </thead>
            <tbody>
              {machines.map((machine) => (
                <Tr key={machine.id}>
                  <Td className="max-w-[300px]">
                    {machine.state === null ? (
                      <MiddleTruncate text={machine.name} />
                    ) : (
                      <Link href={`/machines?machine=${machine.id}`} className="hover:underline">
                        <MiddleTruncate text={machine.name} />
                      </Link>
                    )}
                  </Td>
                  <Td>
                    <Verdicted machine={machine} over={over} reason={one ? null : machine.verdictReason} />
                  </Td>
                  {moving && (
                    <Td>
                      <Progress machine={machine} />
                    </Td>
                  )}
                  <Td
                    wide
                    className="max-w-[220px] truncate font-mono text-sm text-ink-2"
                    title={machine.node ?? undefined}
                  >
                    {machine.node ?? ''}
                  </Td>
                  <Td wide>{machine.version && <Version>{machine.version}</Version>}</Td>
                  <Td wide className="max-w-[420px] text-sm text-ink-2">
                    {machine.sentence ?? 'no longer there'}
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

function Verdicted({ machine, over, reason }: { machine: ChangeMachine; over: boolean; reason: string | null }) {
  // What the machine is to become now is the matter of another change.
  const word = machine.progress?.predicted ?? (over ? null : machine.verdict)
  const verdict = VERDICTS.find((v): v is Verdict => v === word)
  if (!verdict) return null
  return (
    <span className="grid">
      <VerdictChip verdict={verdict} />
      {reason && !over && <span className="text-sm text-ink-3">{reason}</span>}
    </span>
  )
}

function Progress({ machine }: { machine: ChangeMachine }) {
  const { progress } = machine
  if (!progress) return <span className="text-ink-3">waiting for its turn</span>
  // Through before anything began: it was what it should be.
  if (progress.state === 'done' && !progress.startedAt && !progress.predicted)
    return <span className="text-ink-3">not touched</span>
  const bad = progress.state === 'failed'
  return (
    <span className={bad ? 'text-blocked' : ''}>
      {progress.state === 'created' && machine.state === 'provisioning'
        ? 'coming up'
        : (PROGRESS[progress.state] ?? progress.state)}
      {progress.startedAt && progress.state !== 'created' && (
        <span className="text-ink-3">
          {' '}
          <Duration from={progress.startedAt} to={progress.finishedAt} />
        </span>
      )}
      {progress.message && !machine.sentence?.includes(progress.message.replace(/\.$/, '')) && (
        <span className="block text-sm break-words">{progress.message}</span>
      )}
    </span>
  )
}
