import { Chip, MiddleTruncate, Section, Table, Td, Th, Tr, type ChipTone } from '@/components/ui'
import type { BootImageCard, BootImageSetDto } from '@/lib/services/skew/list'

const TONES: Record<BootImageSetDto['state'], ChipTone> = {
  current: 'good',
  outdated: 'replace',
  custom: 'plain',
  excluded: 'plain',
  unknown: 'plain',
}

/** Where only the cloud could tell an old image from one's own, that is what is said. */
const words = (set: BootImageSetDto): string =>
  set.state === 'unknown' && set.wanted && set.current ? 'not the release image' : set.state

/** Which image each machine set starts machines from, and which the release wants. */
export function MachineSets({ card }: { card: BootImageCard }) {
  if (card.sets.length === 0) return null
  return (
    <Section
      title={`Machine sets of ${card.name}`}
      aside={card.managed ? `managed updates: ${card.managed}` : undefined}
    >
      <Table stack label={`Machine sets of ${card.name}`} className="[&_th]:bg-panel">
        <thead>
          <tr>
            <Th>machine set</Th>
            <Th num>machines</Th>
            <Th>boot image</Th>
            <Th wide>now and wanted</Th>
            <Th wide>why</Th>
          </tr>
        </thead>
        <tbody>
          {card.sets.map((set) => (
            <Tr key={set.id}>
              <Td>
                <MiddleTruncate text={set.kind === 'MachineSet' ? set.name : 'control plane'} tail={12} />
              </Td>
              <Td num>
                {set.replicas}
                <span className="hidden max-phone:inline"> machines</span>
              </Td>
              <Td>
                <Chip tone={TONES[set.state]}>{words(set)}</Chip>
                {(set.wanted || set.current) && (
                  <div className="mt-1 hidden max-phone:block">
                    <Images set={set} release={card.streamVersion} />
                  </div>
                )}
                {set.reason && <p className="mt-1 hidden text-sm text-ink-3 max-phone:block">{set.reason}</p>}
              </Td>
              <Td wide>
                <Images set={set} release={card.streamVersion} />
              </Td>
              <Td wide>
                <span className="text-sm text-pretty text-ink-3">{set.reason}</span>
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </Section>
  )
}

function Images({ set, release }: { set: BootImageSetDto; release: string | null }) {
  const wanted = set.wanted && (
    <>
      <MiddleTruncate text={set.wanted} tail={6} className="max-w-28!" />
      {release && <span className="ml-1 text-sm text-ink-3">({release})</span>}
    </>
  )
  if (set.state === 'current') return wanted || null
  return (
    <span className="inline-flex items-baseline whitespace-nowrap">
      {set.current ? (
        <MiddleTruncate text={set.current} tail={6} className="max-w-28!" />
      ) : (
        <span className="text-ink-3">none named</span>
      )}
      {wanted && (
        <>
          <span aria-hidden className="px-1.5 text-ink-3">
            →
          </span>
          <span className="sr-only"> wanted: </span>
          {wanted}
        </>
      )}
    </span>
  )
}
