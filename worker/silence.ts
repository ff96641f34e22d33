import type { Unheard } from '@/lib/domain/unheard'
import type { Tx } from '@/lib/db/client'
import type { ClusterView, Silent } from './types'

export interface Silence {
  /** The first that is not heard any more; null: all are. */
  unheard: Unheard | null
  /** All of these. */
  streams: string[]
}

/**
 * Which of these streams, each with what it is called, are not heard any more. `anew`: also those that never were since this worker
 * follows the cluster; else nothing of them is old.
 */
export function silenceOf(
  view: Pick<ClusterView, 'silent'>,
  of: Readonly<Record<string, string>>,
  anew = false,
): Silence {
  const silent = view.silent?.() ?? new Map<string, Silent>()
  const streams = Object.keys(of).filter((stream) => silent.has(stream) && (anew || silent.get(stream)!.isListed))
  const [first] = streams
  return { unheard: first === undefined ? null : { what: of[first]!, message: silent.get(first)!.message }, streams }
}

/** When the first of these streams fell silent; null: nothing was ever heard of them. */
export async function heardLast(tx: Pick<Tx, 'stream'>, clusterId: string, streams: string[]): Promise<Date | null> {
  const where = { clusterId, resource: { in: streams } }
  const { _min } = await tx.stream.aggregate({ where, _min: { lastHeardAt: true } })
  return _min.lastHeardAt
}
