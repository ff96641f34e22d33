import { GUARD_POOLS, webhookOf } from '../latch/names'
import { LATCHED_POOL } from '../latch/table'
import { ended, firstLine } from './first-line'

const WEBHOOK = webhookOf(LATCHED_POOL.plural)
const CALLED = `failed calling webhook "${WEBHOOK}": `
const OURS = [`"${WEBHOOK}"`, `'${GUARD_POOLS}'`, `'${LATCHED_POOL.policy}'`]
const MEANWHILE =
  'Until then nothing newer reaches its nodes, and what is held stays held; the operator tries again by itself.'

/** The operator could not write the pool, since nobody answered for Drydock, or Drydock refused it. Null: of this it says nothing. */
export function refusedByLatch(why: string, what: string): string | null {
  const [, unanswered] = why.split(CALLED)
  const failed = `The operator could not give it ${what}:`
  if (unanswered !== undefined) {
    const reason = firstLine(unanswered.replace(/^failed to call webhook: /, '').replace(/^Post "[^"]*": /, ''))
    return `${failed} no valid answer came from Drydock’s webhook (${reason}). No MachineConfig is at fault. See that a worker of Drydock runs, and that the cluster’s API servers reach its gate: the cluster’s page has the address. ${MEANWHILE}`
  }
  if (!OURS.some((name) => why.includes(name))) return null
  const reason = ended(firstLine(why.replace(/^[^]*denied (?:the )?request: /, '')))
  return `${failed} Drydock’s latch refused it. ${reason} No MachineConfig is at fault. See what the cluster’s page says of the latch. ${MEANWHILE}`
}
