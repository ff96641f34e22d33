import { Section } from '@/components/ui'
import { platformWords } from '@/lib/domain/skew/platform-words'
import type { BootImageCard } from '@/lib/services/skew/get-card'

/** What a person has to do where the operator does nothing. */
export function ByHand({ card }: { card: BootImageCard }) {
  if (!card.byHand) return null
  return (
    <Section title={card.platform ? `By hand, on ${platformWords(card.platform)}` : 'By hand'}>
      <ol className="ml-4 grid max-w-[84ch] list-decimal gap-1 text-ink-2">
        {card.byHand.steps.map((step) => (
          <li key={step} className="text-pretty wrap-anywhere">
            {step}
          </li>
        ))}
      </ol>
    </Section>
  )
}
