import { Chip } from '@/components/ui'
import type { UpdaterDto } from '@/lib/services/updaters/list-updaters'

/** How an updater fares, by its last answer. */
export function UpdaterState({ health }: Pick<UpdaterDto, 'health'>) {
  if (!health.askedAt) return <Chip>not asked yet</Chip>
  return health.failingSince ? <Chip tone="bad">failing</Chip> : <Chip tone="good">answers</Chip>
}
