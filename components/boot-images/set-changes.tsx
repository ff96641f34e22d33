import { Chip, count, Section, type ChipTone } from '@/components/ui'
import type { SetChange, SetFate } from '@/lib/domain/boot-images/managed/preview'
import { ImageChange } from './image-change'

const FATES: Record<SetFate, { tone: ChipTone; words: string }> = {
  changes: { tone: 'in-place', words: 'gets the image' },
  'user-data': { tone: 'in-place', words: 'gets other user data' },
  stays: { tone: 'good', words: 'has it already' },
  skipped: { tone: 'plain', words: 'skipped' },
  fails: { tone: 'bad', words: 'cannot be updated' },
  open: { tone: 'plain', words: 'depends on its image' },
  'not-known': { tone: 'plain', words: 'not known here' },
  ignored: { tone: 'plain', words: 'passed over' },
  left: { tone: 'plain', words: 'not managed' },
}

/** What becomes of each machine set by a choice of those that are managed. */
export const SetChanges = ({ sets }: { sets: readonly SetChange[] }) => (
  <Section title="Machine sets" aside={managedThen(sets)}>
    <ul className="divide-y divide-line border-y border-line">
      {sets.map((set) => (
        <SetLine key={`${set.kind}/${set.name}`} set={set} />
      ))}
    </ul>
  </Section>
)

/** As the first sentence counts them; the control plane’s set is said beside. */
function managedThen(sets: readonly SetChange[]): string {
  const then = sets.filter((set) => set.managedThen)
  const own = then.filter(({ kind }) => kind === 'MachineSet').length
  return `${own} managed then${then.length > own ? ', and the control plane’s' : ''}`
}

function SetLine({ set }: { set: SetChange }) {
  const { tone, words } = FATES[set.fate]
  return (
    <li className="grid gap-0.5 py-2">
      <span className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="wrap-anywhere">
          <b className="font-medium">{set.name}</b>{' '}
          <span className="text-sm text-ink-3">
            {set.kind === 'MachineSet' ? count(set.replicas, 'machine') : 'control plane'}
          </span>
        </span>
        <Chip tone={tone}>{words}</Chip>
      </span>
      {set.to !== null && set.to !== set.from && <ImageChange from={set.from} to={set.to} />}
      {set.words && <span className="text-sm text-pretty wrap-anywhere text-ink-2">{set.words}</span>}
    </li>
  )
}
