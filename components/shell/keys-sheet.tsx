'use client'

import { Sheet } from '@/components/ui/sheet'
import { Kbd } from '@/components/ui/text'
import { PLACES } from './nav'

const KEYS: [string[], string][] = [
  [['Ctrl', 'K'], 'Find any machine, group, cluster or action'],
  [['/'], 'Filter this page'],
  [['j'], 'Next row'],
  [['k'], 'Row before'],
  [['Enter'], 'Open the row'],
  [['x'], 'Select the row (Updates, Boot images)'],
  [['Shift', 'x'], 'Select all rows up to it'],
  [['a'], 'Approve… (an update, or what is selected)'],
  [['?'], 'This list'],
  [['Esc'], 'Close what is open'],
]

export function KeysSheet({ onClose }: { onClose(): void }) {
  const rows: [string[], string][] = [
    ...KEYS,
    ...PLACES.map((p): [string[], string] => [['g', p.key], `Go to ${p.label}`]),
  ]
  return (
    <Sheet open onClose={onClose} title="Keys" width={360}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {rows.map(([keys, words]) => (
          <div key={words} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  )
}
