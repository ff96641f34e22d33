import type { ChangeDto } from '@/lib/services/changes/change-row'
import { downWords } from '@/lib/domain/version'

/** A step down is somebody's mistake more often than not. */
export function Down({ change }: { change: Pick<ChangeDto, 'fromVersion' | 'toVersion'> }) {
  const words = downWords(change.fromVersion, change.toVersion)
  return words && <p className="mt-1 max-w-[80ch] font-semibold text-pretty">{words}</p>
}
