import type { BootImageCard } from '@/lib/services/skew/get-card'
import { SURE } from './words'

/** Everything that tells how old the boot images are, each with how far it carries. */
export function Evidence({ card }: { card: BootImageCard }) {
  if (card.evidence.length === 0) return null
  return (
    <details open={card.verdict === 'out-of-skew' || card.flaggedWhy !== null || card.confidence === 'against'}>
      <summary className="min-h-6 w-fit text-sm font-medium text-ink-2 pointer-coarse:min-h-11 pointer-coarse:leading-[44px]">
        Evidence
      </summary>
      <ul className="mt-1.5 grid gap-1">
        {card.evidence.map((item) => (
          <li
            key={item.sentence}
            className="flex items-baseline gap-2 text-sm max-phone:mb-1 max-phone:grid max-phone:gap-0"
          >
            <span className="w-24 flex-none text-ink-3">{SURE[item.sure]}</span>
            <span className="min-w-0 wrap-anywhere text-ink-2">{item.sentence}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
