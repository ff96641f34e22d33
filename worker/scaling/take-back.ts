import type { KubeObject } from '@/lib/kubernetes/types'
import { lacksMachines, setSizes } from '@/lib/providers/cluster-api/scaling'
import { unmade } from '@/lib/domain/scaling'
import { besides, type Beside } from '../beside'
import { log } from '../log'
import type { ClusterView } from '../types'
import { heldGroups, noteEnds, type HeldGroup } from './looked'
import { isRefused, lowerSet } from './lower-set'
import { DEPLOYMENTS, liveSets, SETS, setsByOwner } from './sets'

/** Its manager may have told its machine sets of something in the moment of the hold: that is seen by then. */
const SEEN_MS = 2_000
/** A manager that does not say that it has seen the hold (before Cluster API 1.9, or it is away). */
const UNSAID_MS = 30_000

/**
 * A MachineDeployment that is held tells its machine sets nothing any more, and they go on with what they were told: of machines that
 * Cluster API's checks kept from being made until then, too. Those are taken back, once for each hold: what goes later is made again by
 * its machine set, as always. When it is let go its manager counts anew.
 */
export async function takeBack(view: ClusterView, stopped: () => boolean): Promise<void> {
  const open = await heldGroups(view, [...view.objects(DEPLOYMENTS).values()])
  if (open.length === 0) return
  const sets = setsByOwner(view)
  await lowerAll(beside(view), view, lackingOf(open, sets), stopped)
  // Only where they were heard of, that none is there says that none lacks any.
  if ((view.heardNow?.(SETS) ?? 'listed') !== 'listed') return
  const quiet = open.filter(
    (group) => isLong(group) && lackingSets(group.object, sets.get(group.id) ?? []).length === 0,
  )
  if (quiet.length === 0 || stopped()) return
  // Of many groups that takes a while, and machine sets that lack machines wait for none of it.
  await ending(view).begin('ends', () =>
    endAll(view, quiet, stopped).catch(
      (err: unknown) =>
      log.warn({ err, cluster: view.name }, 'machine sets of held groups could not be listed once more; it will be repeated'), // prettier-ignore
    ),
  )
}

const beside = besides()
const ending = besides()
const further = besides()

const isLong = ({ seen, look }: HeldGroup): boolean =>
  performance.now() - look.since >= (seen === null ? UNSAID_MS : SEEN_MS)

interface Lacking {
  object: KubeObject
  set: KubeObject
}

const lackingOf = (groups: readonly HeldGroup[], sets: ReadonlyMap<string, KubeObject[]>): Lacking[] =>
  groups.flatMap(({ object, id }) => lackingSets(object, sets.get(id) ?? []).map((set) => ({ object, set })))

/** Machine sets of it that were told of machines which they are not to make any more. */
function lackingSets(object: KubeObject, own: KubeObject[]): KubeObject[] {
  const names = new Set(own.some(lacksMachines) ? unmade(setSizes(object, own)).map(({ name }) => name) : [])
  return own.filter(({ metadata }) => names.has(metadata.name))
}

const lowerAll = (on: Beside, view: ClusterView, lacking: readonly Lacking[], stopped: () => boolean): Promise<void> =>
  on.each(
    lacking.filter(({ set }) => !isRefused(set)),
    ({ set }) => set.metadata.uid,
    ({ object, set }) =>
      lowerSet(view, object, set).catch(
        (err: unknown) =>
        log.warn({ err, cluster: view.name, group: object.metadata.name }, 'what a machine set was told of could not be taken back; it will be repeated'), // prettier-ignore
      ),
    stopped,
  )

/** These are done with, but those whose machine sets are further than what was heard of them. */
async function endAll(view: ClusterView, quiet: readonly HeldGroup[], stopped: () => boolean): Promise<void> {
  const sets = await liveSets(
    view,
    quiet.map(({ object }) => object),
  )
  const lacking = lackingOf(quiet, sets)
  const ids = new Set(lacking.map(({ object }) => object.metadata.uid))
  await noteEnds(
    view,
    quiet.filter(({ id }) => !ids.has(id)),
  )
  // Beside the rounds, whose own list goes on meanwhile.
  await lowerAll(further(view), view, lacking, stopped)
}
