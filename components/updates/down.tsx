import type { ChangeDto } from '@/lib/services/changes/change-row'
import { downWords } from '@/lib/domain/version'

/** A step down is somebody's mistake more often than not. */
export function Down({ change }: { change: Pick<ChangeDto, 'fromVersion' | 'toVersion' | 'groupKind' | 'state'> }) {
  const { fromVersion, toVersion, groupKind: kind, state } = change
  const words = downWords(fromVersion, toVersion, { kind, over: state === 'done' })
  return words && <p className="mt-1 max-w-[80ch] font-semibold text-pretty">{words}</p>
}
