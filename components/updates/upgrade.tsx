import Link from 'next/link'
import { RelativeTime, Section } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { ClusterUpgrade } from '@/lib/services/upgrades/cluster-upgrade'
import type { Telling } from '@/lib/services/upgrades/lifecycle'
import { listedOf } from './standing-words'
import { stepWords } from './upgrade-words'
import { KIND_WORDS } from './words'

const OURS = 'drydock: '

/** The upgrade of the whole managed Cluster that a change is a part of: who blocks it, and which group is where. */
export function Upgrade({ change }: { change: UpdateDetail }) {
  const { upgrade } = change
  if (!upgrade) return null
  return (
    <Section id="upgrade" title={`The upgrade of ${upgrade.cluster} to ${upgrade.version}`}>
      <Blocking {...upgrade} />
      <ol aria-label="Groups of this upgrade" className="grid max-w-[88ch] gap-1">
        {upgrade.steps.map((step) => (
          <li key={step.changeId} className="flex flex-wrap gap-x-2">
            {step.changeId === change.id ? (
              <span className="font-medium">{step.name}</span>
            ) : (
              <Link href={`/updates/${step.changeId}`} prefetch={false} className="underline">
                {step.name}
              </Link>
            )}
            <span className="text-ink-3">({KIND_WORDS[step.kind] ?? step.kind})</span>
            <span className="text-ink-2">{stepWords(step)}</span>
          </li>
        ))}
      </ol>
      {upgrade.told.length > 0 && (
        <ul aria-label="What Cluster API said is through" className="mt-2 grid gap-1 text-ink-2">
          {upgrade.told.map(({ hook, at }) => (
            <li key={hook}>
              <RelativeTime at={at} />, Cluster API said that {TOLD_WORDS[hook]} (
              <span className="font-mono text-sm">{hook}</span>).
            </li>
          ))}
        </ul>
      )}
      <p className="mt-2 max-w-[88ch] text-sm text-pretty text-ink-3">
        Cluster API hands a version down to the control plane first, and to the workers when that is through. Until it
        is through everywhere the Cluster takes no other version.
      </p>
    </Section>
  )
}

/** Of what is approved, or goes by itself, when it gets its version: who else than Drydock keeps it from that. */
export function BlockedByHook({ change }: { change: UpdateDetail }) {
  const { upgrade, heldBy, state, policy } = change
  const listed = listedOf(policy)
  if (!upgrade || heldBy !== 'hook' || state !== 'waiting' || !(listed?.due || listed?.goes)) return null
  const others = upgrade.blocking.filter(({ message }) => !message.startsWith(OURS))
  return <Blocking blocking={others} failed={upgrade.failed} />
}

function Blocking({ blocking, failed }: Pick<ClusterUpgrade, 'blocking' | 'failed'>) {
  if (failed)
    return (
      <p className="mb-2 max-w-[88ch] wrap-anywhere">
        <span className="font-medium text-bad-ink">Cluster API cannot go on with it:</span>{' '}
        <span className="font-mono text-sm">{failed}</span>
      </p>
    )
  return (
    <>
      {blocking.map(({ hook, message }) => (
        <p key={hook} className="mb-2 max-w-[88ch] wrap-anywhere">
          The hook <span className="font-mono text-sm">{hook}</span> blocks it,{' '}
          {message.startsWith(OURS) ? 'as Drydock answers' : 'as somebody else asks for'}
          {message ? ': ' : '.'}
          {message && <span className="font-medium">{message.replace(OURS, '')}</span>}
        </p>
      ))}
    </>
  )
}

const TOLD_WORDS: Record<Telling, string> = {
  AfterControlPlaneUpgrade: 'the control plane has it',
  AfterWorkersUpgrade: 'the workers have it',
  AfterClusterUpgrade: 'the upgrade is through',
}
