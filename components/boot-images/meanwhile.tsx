import type { BootImageCard } from '@/lib/services/skew/get-card'

/** In the place of buttons, and in a sheet that is open: what keeps anything else from being decided. */
export const Meanwhile = ({ underWay: { message, hint } }: { underWay: NonNullable<BootImageCard['underWay']> }) => (
  <p role="status" className="basis-full max-w-[84ch] text-sm text-pretty text-ink-2">
    {message} {hint}
  </p>
)
