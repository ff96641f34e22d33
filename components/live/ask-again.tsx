import type { ReactNode } from 'react'
import { Button } from '@/components/ui'
import type { Asked } from './use-action'

/** Asks once more where there was no answer. */
export const AskAgain = ({
  asked: { again, pending },
  children = 'Try again',
}: {
  asked: Pick<Asked<unknown>, 'again' | 'pending'>
  children?: ReactNode
}) => (
  <Button small onClick={again} pending={pending}>
    {children}
  </Button>
)
