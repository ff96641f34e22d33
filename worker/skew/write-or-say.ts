import type { ClusterView } from '../types'
import { writeUnread } from './write-unread'
import { writeSkew, type Write } from './write'

/** How often in a row it failed, by cluster. */
const failed = new Map<string, number>()
const AGAIN_AND_AGAIN = 3

const NOT_WRITTEN = {
  what: 'state',
  message: 'Drydock’s database has refused again and again to keep what it says',
}

/** What cannot be written, however often it is tried, may not leave the card as if what it says were of now. False: as writeSkew has it. */
export async function writeOrSay(view: ClusterView, write: Write, said: () => void): Promise<boolean> {
  const { clusterId } = view
  try {
    const owned = await writeSkew(write)
    failed.delete(clusterId)
    return owned
  } catch (error) {
    const times = (failed.get(clusterId) ?? 0) + 1
    failed.set(clusterId, times)
    if (times >= AGAIN_AND_AGAIN) {
      said()
      const silent = { verdict: NOT_WRITTEN, images: null, record: null, operator: false, streams: [] }
      await writeUnread(view, silent).catch(() => undefined)
    }
    throw error
  }
}
