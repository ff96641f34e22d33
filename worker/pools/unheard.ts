import type { PoolState } from '@/lib/domain/pools/types'
import { unheardPool } from '@/lib/domain/pools/unheard'
import { unheardWords } from '@/lib/domain/unheard'
import type { SilentPools } from './silent'

interface Judged {
  state: string
  sentence: string
  severity: number
}

/**
 * What is said of a pool where it, or its nodes, are not heard any more. How many nodes have what is wanted, its operator says in the
 * pool: while that is heard, so is that.
 */
export function unheardOf({ state, sentence, severity }: Judged, { pools, unheard }: Omit<SilentPools, 'streams'>) {
  const judged = { state: state as PoolState, sentence, severity }
  return { ...(pools ? unheardPool(judged, pools) : judged), unheardWhy: unheard && unheardWords(unheard) }
}
