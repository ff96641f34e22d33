import { Button, Sheet } from '@/components/ui'
import { Results } from './results'

type Props = React.ComponentProps<typeof Results> & { title: string; crumb: string; onClose(): void }

/** What became of one decision on each of several clusters. */
export function Decided({ title, crumb, onClose, ...results }: Props) {
  return (
    <Sheet
      open
      onClose={onClose}
      width={640}
      crumb={crumb}
      title={title}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <Results {...results} />
    </Sheet>
  )
}
