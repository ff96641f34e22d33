import { Button, SelectionBar } from '@/components/ui'
import type { SeveralDoing } from '../types'
import { MOST_CLUSTERS, type Chosen } from './use-chosen'

/** How many clusters are chosen, and what can be done with them. */
export function SeveralBar({ of: { chosen, clear }, onDo }: { of: Chosen; onDo(doing: SeveralDoing): void }) {
  if (chosen.length === 0) return null
  return (
    <SelectionBar
      label="Selected clusters"
      chosen={
        <>
          <span className="font-medium">{chosen.length} selected</span>
          {chosen.length >= MOST_CLUSTERS && <span className="text-ink-2">, as many as are decided at once</span>}
        </>
      }
    >
      <Button onClick={() => onDo('acknowledge')}>Acknowledge…</Button>
      <Button onClick={() => onDo('opt-out')}>Opt out…</Button>
      <Button onClick={() => onDo('automatic')}>Return to automatic…</Button>
      <Button onClick={() => onDo('managed')}>Managed images…</Button>
      <Button tone="bare" onClick={clear}>
        Clear
      </Button>
    </SelectionBar>
  )
}
