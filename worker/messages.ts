import { deliverMessages, forgetOldMessages } from '@/lib/services/messages/deliver'
import { tellSilence } from '@/lib/services/messages/tell-silence'
import { tellReviews } from '@/lib/services/openshift/tell-reviews'
import { log as workerLog, type Log } from './log'
import { startRounds, type Rounds } from './rounds'

const INTERVAL_MS = 2_000
/** Rounds between two looks at what changes slowly. */
const SLOW = 15

/** Posts the messages that wait, whichever process wrote them; of several workers each takes others. */
export function startMessages(options: { intervalMs?: number; log?: Log } = {}): Rounds {
  const { intervalMs = INTERVAL_MS, log = workerLog } = options
  let round = 0
  return startRounds(async (stopped) => {
    try {
      if (round++ % SLOW === 0) {
        await tellSilence()
        await tellReviews(new Date())
        await forgetOldMessages()
      }
      while (!stopped() && (await deliverMessages()));
    } catch (error) {
      log.warn({ err: error }, 'messages could not be posted; trying again')
    }
  }, intervalMs)
}
