import { pool } from '@/lib/db/client'
import { markAll, MOST, workOff, type Marked } from '@/lib/db/read-model/marked'
import { NODE_IMAGES } from '@/lib/db/read-model/node-images'
import { NODES_BEHIND } from '@/lib/db/read-model/nodes-behind'
import { log as workerLog, type Log } from './log'
import { failures } from './metrics'
import { startRounds, type Rounds } from './rounds'

const INTERVAL_MS = 1_000
const WORDS = { node_image: 'what nodes started from', nodes_behind: 'which nodes are behind their pools' }

interface Options {
  intervalMs?: number
  log?: Log
}

/** Keeps what is judged or counted of whole clusters, of every cluster that changed, whoever owns it. */
function startMarked(of: Marked, { intervalMs = INTERVAL_MS, log = workerLog }: Options = {}): Rounds {
  let begun = false
  return startRounds(async (stopped) => {
    try {
      if (!begun) await markAll(pool(), of)
      begun = true
      // What is marked anew meanwhile, by a cluster that rolls, waits for the next round.
      while (!stopped() && (await workOff(pool(), of)) === MOST);
    } catch (err) {
      failures.inc({ cluster: '', what: of.rows })
      log.warn({ err }, `${WORDS[of.rows]} could not be counted; it will be repeated`)
    }
  }, intervalMs)
}

export const startNodeImages = (options?: Options): Rounds => startMarked(NODE_IMAGES, options)
export const startNodesBehind = (options?: Options): Rounds => startMarked(NODES_BEHIND, options)
