import { Button } from '@/components/ui'
import { MOST_AT_ONCE } from '@/lib/domain/changes/at-once'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import type { Selection } from './use-selection'

/** How many are chosen, and what can be done with them. Stays in sight; on a phone above the pages' bar. */
export function Bar({
  selection: { chosen, dropped, clear },
  may,
  onDecide,
}: {
  selection: Selection
  may: { approve: boolean; reject: boolean }
  onDecide(mode: DecisionMode): void
}) {
  if (chosen.length === 0 && dropped.length === 0) return null
  const any = chosen.length > 0
  return (
    <section
      aria-label="Selected updates"
      className="sticky bottom-3 z-10 mt-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line-strong bg-panel px-4 py-2.5 max-phone:bottom-[calc(66px+env(safe-area-inset-bottom))] max-phone:px-3"
    >
      <div role="status" className="min-w-0 grow">
        <span className="font-medium">{chosen.length} selected</span>
        {chosen.length >= MOST_AT_ONCE && <span className="text-ink-2">, as many as are decided at once</span>}
        {dropped.length > 0 && <p className="text-sm text-pretty text-ink-2">{droppedWords(dropped)}</p>}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {any && may.approve && (
          <>
            <Button tone="in-place" onClick={() => onDecide('in-place')} data-key="a">
              Approve in place…
            </Button>
            <Button tone="replace" onClick={() => onDecide('replace')}>
              Approve replacing…
            </Button>
          </>
        )}
        {any && may.reject && <Button onClick={() => onDecide('reject')}>Reject…</Button>}
        <Button tone="bare" onClick={clear}>
          {any ? 'Clear' : 'OK'}
        </Button>
      </div>
    </section>
  )
}

const MOST_NAMED = 3

/** Who dropped out by itself, and why. */
export function droppedWords(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  const who = `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `Not selected any more: ${who}. ${names.length === 1 ? 'It does' : 'They do'} not wait any more as selected.`
}
