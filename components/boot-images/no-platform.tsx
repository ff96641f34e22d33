import { Section } from '@/components/ui'
import type { BootImageCard } from '@/lib/services/skew/get-card'

/** In the place of what would be chosen, and of the steps by hand: both go by the platform. */
export function NoPlatform({ card }: { card: BootImageCard }) {
  if (card.platformUnread === null) return null
  return (
    <Section title="Managed boot images" id="managed">
      <p className="max-w-[84ch] text-pretty text-ink-2">
        {card.platformUnread} Until it can, nothing can be chosen here, and what is to be done by hand is not known.
      </p>
    </Section>
  )
}
