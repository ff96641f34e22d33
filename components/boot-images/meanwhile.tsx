import { useAction } from '@/components/live'
import { Button, ErrorState } from '@/components/ui'
import type { Act } from '@/components/openshift/use-decision'
import type { BootImageCard } from '@/lib/services/skew/get-card'

interface Props {
  underWay: NonNullable<BootImageCard['underWay']>
  leave: Act
  /** In a sheet, which is in front of where it stands. */
  inSheet?: true
}

/** In the place of buttons, and in a sheet that is open: what keeps anything else from being decided, and what ends that. */
export function Meanwhile({ underWay: { id, message, hint, halfway }, leave, inSheet }: Props) {
  const left = useAction(leave)
  return (
    <div className="grid basis-full gap-2 text-sm text-ink-2">
      <p role="status" className="max-w-[84ch] text-pretty">
        {message} {hint}{' '}
        {halfway && !inSheet && (
          <a href="#managed" className="underline">
            See where it stands
          </a>
        )}
      </p>
      {halfway && (
        <div>
          <Button small onClick={() => left.run({ actionId: id, takeBack: false })} pending={left.pending}>
            Leave it as it stands
          </Button>
        </div>
      )}
      <ErrorState error={left.error} />
    </div>
  )
}
