import { Button } from '@/components/ui'
import type { Asked } from './use-action'

/** Asks once more where there was no answer. */
export const AskAgain = ({ asked: { again, pending } }: { asked: Asked<unknown> }) => (
  <Button small onClick={again} pending={pending}>
    Try again
  </Button>
)
