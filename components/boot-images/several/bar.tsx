import { Button } from '@/components/ui'
import type { SeveralDoing } from '../types'
import { MOST_CLUSTERS, type Chosen } from './use-chosen'

/** How many clusters are chosen, and what can be done with them. Stays in sight; on a phone above the pages' bar. */
export function SeveralBar({ of: { chosen, clear }, onDo }: { of: Chosen; onDo(doing: SeveralDoing): void }) {
  if (chosen.length === 0) return null
  return (
    <section
      aria-label="Selected clusters"
      className="sticky bottom-3 z-10 mt-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line-strong bg-panel px-4 py-2.5 max-phone:bottom-[calc(66px+env(safe-area-inset-bottom))] max-phone:px-3"
    >
      <div role="status" className="min-w-0 grow">
        <span className="font-medium">{chosen.length} selected</span>
        {chosen.length >= MOST_CLUSTERS && <span className="text-ink-2">, as many as are decided at once</span>}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => onDo('acknowledge')}>Acknowledge…</Button>
        <Button onClick={() => onDo('opt-out')}>Opt out…</Button>
        <Button onClick={() => onDo('automatic')}>Return to automatic…</Button>
        <Button onClick={() => onDo('managed')}>Managed images…</Button>
        <Button tone="bare" onClick={clear}>
          Clear
        </Button>
      </div>
    </section>
  )
}
