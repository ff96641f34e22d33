import { configsEdited } from '@/lib/domain/changes'
import type { ObjectSource } from '@/lib/providers/cluster-api/changes'
import { pairsApproved } from '@/lib/services/changes/approved-pairs'
import type { Planned } from '@/lib/services/changes/planned'
import { UNDER_WAY } from '@/lib/services/changes/states'
import { log } from '../log'
import type { ClusterView } from '../types'
import type { Row } from './common'
import { wantsElse } from './hold-again'
import { knownMidway } from './midway'
import { NotHeld, stop } from './stop'

/** Cluster API makes each machine by what its template says then: of what goes, that is read so often. */
const GOING_MS = 5_000

/** Templates of what is let go are not taken from memory for long. */
export const sourceFor = (source: ObjectSource, open: Row | null): ObjectSource =>
  open && UNDER_WAY.includes(open.state)
    ? { ...source, template: (ref, namespace) => source.template(ref, namespace, GOING_MS) }
    : source

/**
 * What its machines are to be was edited since it was let go: what has not begun is held again, for nobody approved that. Whether what
 * differs is another says nothing of that: a template of before may be gone, or its date have come. True: it is to be looked at anew. What
 * the API server refuses to hold goes on, and says so in the log.
 */
export async function holdsEdited(view: ClusterView, open: Row, planned: Planned): Promise<boolean> {
  const [decision] = open.decisions
  if (!decision || decision.mode === 'reject' || !['accepted', 'seen'].includes(decision.state)) return false
  if (!configsEdited({ pairs: pairsApproved(decision, open) }, planned.changeSet)) return false
  // The move of a machine is waited for, as everywhere.
  if (await knownMidway(view, open)) return true
  try {
    await stop(view, open, EDITED, { isPast: wantsElse(open) })
    return true
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error
    log.error({ cluster: view.name, change: open.id, err: error }, 'what was edited since it was let go is not held')
    return false
  }
}
const EDITED = 'the configuration of its machines was edited since it was let go'
