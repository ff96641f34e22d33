import type { Capabilities } from '@/lib/domain/capabilities'
import { Chip, Facts } from '@/components/ui'
import { Missing } from './missing'
import { inPlaceWords, latchWords, versions } from './words'

const GATE_TONES = { on: 'good', off: 'plain', unknown: 'plain' } as const

/** What discovery found, and what follows from it. */
export function Found({ found, className }: { found: Capabilities; className?: string }) {
  const { gates } = found
  const facts: [string, React.ReactNode][] = [
    ['versions', versions(found)],
    [
      'Drydock is',
      <span key="id" className="font-mono text-sm">
        {found.identity.username || 'nobody'}
      </span>,
    ],
  ]
  if (found.clusterApi) {
    const { served, contracts } = found.clusterApi
    facts.push(['served', `${served.join(', ')}${contracts.length ? `; contracts ${contracts.join(', ')}` : ''}`])
    facts.push([
      'providers',
      found.providers
        .map((p) => [p.name, p.version, p.contract && `(contract ${p.contract})`].filter(Boolean).join(' '))
        .join(', ') || 'none found',
    ])
    for (const [name, gate] of [
      ['InPlaceUpdates', gates.inPlaceUpdates],
      ['RuntimeSDK', gates.runtimeSdk],
    ] as const) {
      facts.push([
        name,
        <span key={name} className="flex flex-wrap items-baseline gap-x-2">
          <Chip tone={GATE_TONES[gate.state]}>{gate.state}</Chip>
          <span className="text-sm text-ink-3">{gate.how}</span>
        </span>,
      ])
    }
  }
  if (found.openshift)
    facts.push([
      'boot image skew',
      found.openshift.skew === null
        ? 'not known: the schema of MachineConfiguration could not be read'
        : found.openshift.skew
          ? 'served and enforced in this release'
          : 'not in this release',
    ])
  return (
    <div className={className}>
      <Facts items={facts} />
      {found.clusterApi && (
        <ul className="mt-3 grid max-w-[80ch] list-disc gap-1 pl-4 text-ink-2">
          <li>{inPlaceWords(found)}</li>
          <li>{latchWords(found)}</li>
        </ul>
      )}
      <Missing found={found} />
    </div>
  )
}
