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
  done: '✓ done',
  failed: '✕ failed',
  created: '✓ new',
  deleting: 'being deleted',
  deleted: '✓ deleted',
}

/** Each machine of the group, the worst first. */
export function UpdateMachines({ change }: { change: UpdateDetail }) {
  const machines = change.machinesList
  const moving = machines.some((m) => m.progress)
  const total = Math.max(change.hull.total, machines.length)
  return (
    <Section
      title="Per machine"
      aside={total > machines.length ? `the ${machines.length} most pressing of ${total}` : machines.length}
    >
      {machines.length === 0 ? (
        <p className="text-ink-3">No machines are recorded for this change.</p>
      ) : (
        <Table stack label="Machines of this change">
          <thead>
            <tr>
              <Th>machine</Th>
              <Th>verdict</Th>
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
                  <Verdicted machine={machine} />
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
      )}
    </Section>
  )
}

function Verdicted({ machine }: { machine: ChangeMachine }) {
  const word = machine.progress?.predicted ?? machine.verdict
  const verdict = VERDICTS.find((v): v is Verdict => v === word)
  if (!verdict) return null
  return (
    <span className="grid">
      <VerdictChip verdict={verdict} />
      {machine.verdictReason && <span className="text-sm text-ink-3">{machine.verdictReason}</span>}
    </span>
  )
}

function Progress({ machine }: { machine: ChangeMachine }) {
  const { progress } = machine
  if (!progress) return <span className="text-ink-3">waiting for its turn</span>
  const bad = progress.state === 'failed'
  return (
    <span className={bad ? 'text-blocked' : ''}>
      {progress.state === 'created' && machine.state === 'provisioning'
        ? 'coming up'
        : (PROGRESS[progress.state] ?? progress.state)}
      {progress.startedAt && (
        <span className="text-ink-3">
          {' '}
          <Duration from={progress.startedAt} to={progress.finishedAt} />
        </span>
      )}
      {progress.message && <span className="block text-sm break-words">{progress.message}</span>}
    </span>
  )
}
