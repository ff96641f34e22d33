'use client'

import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { Chip, Section } from '@/components/ui'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { SetsTable } from './sets-table'
import { useTo } from './use-list'

/** The machine sets of one cluster, all or those in one state. */
export function MachineSets({ card }: { card: BootImageCard }) {
  const to = useTo()
  const chosen = useSearchParams().get('sets')
  if (card.sets.length === 0) return null
  const states = [...new Set(card.sets.map((set) => set.state))]
  const only = states.find((state) => state === chosen) ?? null
  const shown = only ? card.sets.filter((set) => set.state === only) : card.sets
  const choices = [
    { state: null, words: 'all', n: card.sets.length },
    ...states.map((state) => ({ state, words: state, n: card.sets.filter((set) => set.state === state).length })),
  ]
  return (
    <Section
      title={`Machine sets of ${card.name}`}
      aside={card.managed ? `managed updates: ${card.managed}` : undefined}
    >
      {states.length > 1 && (
        <nav aria-label="State of the boot image" className="mb-2 flex flex-wrap gap-2 text-sm">
          {choices.map(({ state, words, n }) => (
            <Link
              key={words}
              href={to({ sets: state })}
              scroll={false}
              aria-current={state === only ? 'true' : undefined}
              className="inline-flex min-h-6 items-center pointer-coarse:min-h-11"
            >
              <Chip className={state === only ? 'outline outline-line-strong' : ''}>
                {words} {n}
              </Chip>
            </Link>
          ))}
        </nav>
      )}
      <SetsTable sets={shown} label={`Machine sets of ${card.name}`} />
    </Section>
  )
}
