import { machinesOf } from '@/lib/domain/changes'
import type { ChangeDto } from './change-row'
import { listedStanding } from './listed-standing'
import type { ChangeStanding } from './standing'

/** As many as the page of what waits speaks of: scaled while it is held, they are others than when it was written. */
export function machinesNow(change: ChangeDto, standing: ChangeStanding | undefined): number {
  const { inPlace, replace, unknown } = change.outlook
  const way = standing && listedStanding(standing, change).way
  return machinesOf(way === 'replace' ? replace : (unknown ?? inPlace ?? replace))
}
