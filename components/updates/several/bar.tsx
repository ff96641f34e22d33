import { Button, SelectionBar } from '@/components/ui'
import { MOST_AT_ONCE } from '@/lib/domain/changes/at-once'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import { mayReplace } from './selection'
import type { Selection } from './use-selection'

/** How many are chosen, and what can be done with them. */
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
    <SelectionBar
      label="Selected updates"
      chosen={
        <>
          <span className="font-medium">{chosen.length} selected</span>
          {chosen.length >= MOST_AT_ONCE && <span className="text-ink-2">, as many as are decided at once</span>}
          {dropped.length > 0 && <p className="text-sm text-pretty text-ink-2">{droppedWords(dropped)}</p>}
        </>
      }
    >
      {any && may.approve && (
        <>
          <Button tone="in-place" onClick={() => onDecide('in-place')} data-key="a">
            Approve in place…
          </Button>
          {mayReplace(chosen) && (
            <Button tone="replace" onClick={() => onDecide('replace')}>
              Approve replacing…
            </Button>
          )}
        </>
      )}
      {any && may.reject && <Button onClick={() => onDecide('reject')}>Reject…</Button>}
      <Button tone="bare" onClick={clear}>
        {any ? 'Clear' : 'OK'}
      </Button>
    </SelectionBar>
  )
}

const MOST_NAMED = 3

/** Who dropped out by itself, and why. */
export function droppedWords(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  const who = `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `Not selected any more: ${who}. ${names.length === 1 ? 'It does' : 'They do'} not wait any more as selected.`
}
