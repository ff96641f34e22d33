import { conditionOf, type Condition } from '../skew/types'
import { ended, firstLine } from './first-line'
import { refusedByLatch } from './latch-refusal'
import { namedConfigHint, olderConfigHint } from './named-config'
import type { Pool } from './types'

export const RENDER = 'RenderDegraded'

/** Where the operator gives advice of its own, that stands at the end. */
const MOST = 400
/** What every such message begins with. */
const FRAME = /^Failed to render configuration for pool \S+: (?:could not generate rendered MachineConfig: )?/

/**
 * Why a pool has no newer configuration, and what is to be done: of everything that its operator says of that
 * (pkg/controller/render, syncFailingStatus), also of what an API server answered when it wrote the pool.
 * `clusterUpdating`: to another release, the operator with it; null: not known.
 */
export function renderingWords(
  { desiredConfig }: Pick<Pool, 'desiredConfig'>,
  message: string | undefined,
  clusterUpdating: boolean | null,
): string {
  const what = desiredConfig === null ? 'its configuration' : 'a newer configuration'
  const why = (message ?? '').replace(FRAME, '')
  const refused = refusedByLatch(why, what)
  if (refused) return refused
  const passing = passingWords(why, clusterUpdating)
  const said = why ? `: ${ended(firstLine(why, MOST))}` : '.'
  const rendered = `${what[0]!.toUpperCase()}${what.slice(1)} ${passing ? 'is not rendered yet' : 'cannot be rendered'}`
  return `${rendered}${said}${passing || olderConfigHint(why, clusterUpdating) || namedConfigHint(why)}`
}

/** So it speaks while it is being updated itself, and part of what it reads is of another release. */
const OF_TWO_RELEASES = /^[Ii]gnoring (?:controller config|MC|OSImageStream) /
const CONFLICT = /the object has been modified/
const LASTS = 'Where it lasts, the ClusterOperator machine-config says why.'

function passingWords(why: string, clusterUpdating: boolean | null): string {
  if (olderConfigHint(why, clusterUpdating)) return ''
  if (OF_TWO_RELEASES.test(why))
    return ` That is so while the operator itself is being updated, and it goes on by itself. ${LASTS}`
  return CONFLICT.test(why) ? ` It tries again by itself. ${LASTS}` : ''
}

/** Whether its operator gets over this by itself. */
export const passes = (message: string | undefined, clusterUpdating: boolean | null): boolean =>
  passingWords((message ?? '').replace(FRAME, ''), clusterUpdating) !== ''

/** For longer than this somebody is to look all the same. */
const LASTS_MS = 30 * 60_000

/** Nothing is wrong with the pool but what its operator gets over by itself, and it is not at that for too long. */
export function passesByItself(
  conditions: readonly Condition[],
  clusterUpdating: boolean | null,
  now: number,
): boolean {
  const { status, message, lastTransitionTime } = conditionOf(conditions, RENDER) ?? {}
  const others = conditions.filter((c) => c.status === 'True' && /.Degraded$/.test(c.type) && c.type !== RENDER)
  if (status !== 'True' || others.length > 0 || !passes(message, clusterUpdating)) return false
  return now - Date.parse(lastTransitionTime ?? '') < LASTS_MS
}
