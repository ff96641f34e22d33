import { releaseAt, type EvidenceItem } from './evidence'
import { installVersion } from './effective'
import type { HistoryEntry } from './types'

/** The node that joined first of those that are there; no API tells which image it started from. */
export interface OldestNode {
  name: string
  /** ISO; made when it joined, minutes after it first booted */
  joinedAt: string
  /** How many nodes there are. */
  of: number
}

type History = readonly (HistoryEntry & { startedTime?: string; completionTime?: string | null })[]

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The release that ran when the oldest node joined: its image is of that release or, where it was not kept current, of an older one. */
export function oldestNodeEvidence(node: OldestNode | null, history: History): EvidenceItem | null {
  const at = Date.parse(node?.joinedAt ?? '')
  if (!node || Number.isNaN(at)) return null
  const joined = `${node.name}, the oldest of ${node.of} ${node.of === 1 ? 'node' : 'nodes'}, joined on ${day.format(at)}`
  const ran = releaseAt(history, at)
  if (ran)
    return {
      source: 'oldest-node',
      sentence: `${joined}, while the cluster ran ${ran}: it started from an image of that release or of an older one.`,
      sure: 'likely',
    }
  const install = installVersion(history)
  // It joined while the cluster was being installed.
  if (install !== '0.0.0' && !history.some((h) => h.completionTime && Date.parse(h.completionTime) <= at))
    return {
      source: 'oldest-node',
      sentence: `${joined}, when the cluster was installed with ${install}: it started from the image of the installation.`,
      sure: 'likely',
    }
  return { source: 'oldest-node', sentence: `${joined}.`, sure: 'unknown' }
}
