import { AS, R, type Env } from '../env'
import { annotation, DRAIN_FAULT, mark, PREFIX } from './node'
import { say } from './steps'

const DRAIN_SECONDS = 4
const RETRY_SECONDS = 60
/** After so long the daemon calls its node degraded; the controller goes on trying. */
const GIVE_UP_SECONDS = 3600
const SLOW_SECONDS = 90

/** Cordons a node and moves its pods away, as often as it takes. False: everything is being stopped. */
export async function drain(env: Env, name: string, config: string): Promise<boolean> {
  const wanted = `drain-${config}`
  await mark(env, name, { desiredDrain: wanted }, { unschedulable: true })
  await say(env, name, {
    ...{ parent: 'UpdateExecuted', child: 'Cordoned', status: 'True', phase: 'Unknown' },
    message: 'Cordoned node. The node is reporting Unschedulable = true',
  })
  for (let waited = 0; ; waited += RETRY_SECONDS) {
    await say(env, name, { ...DRAINED, message: 'Draining node.' })
    if (!(await env.sleep(DRAIN_SECONDS))) return false
    const fault = annotation(env, name, DRAIN_FAULT)
    if (fault !== 'blocked' && !(fault === 'slow' && waited < SLOW_SECONDS)) break
    await say(env, name, { ...DRAINED, message: refused(wanted) })
    if (waited >= GIVE_UP_SECONDS) await giveUp(env, name)
    if (!(await env.sleep(RETRY_SECONDS - DRAIN_SECONDS))) return false
  }
  await mark(env, name, { lastAppliedDrain: wanted })
  await say(env, name, { ...DRAINED, status: 'True', phase: 'Unknown', message: 'Drained node.' })
  if (annotation(env, name, `${PREFIX}state`) === 'Degraded') await recovered(env, name)
  return true
}

const DRAINED = { parent: 'UpdateExecuted', child: 'Drained', status: 'Unknown' } as const

const refused = (wanted: string): string =>
  `Error: Node Drain has not succeeded. Error is: error when evicting pods/"ledger-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget. The drain will not be complete until desired drainer ${wanted} matches current drainer`

async function giveUp(env: Env, name: string): Promise<void> {
  const reason = `failed to drain node: ${name} after 1 hour. Please see machine-config-controller logs for more information`
  await mark(env, name, { state: 'Degraded', reason })
  await say(env, name, { parent: 'NodeDegraded', status: 'True', message: reason })
}

async function recovered(env: Env, name: string): Promise<void> {
  await mark(env, name, { state: 'Working', reason: '' })
  await say(env, name, { parent: 'NodeDegraded', status: 'False', message: 'node is well again' })
}

export async function uncordon(env: Env, name: string, config: string): Promise<void> {
  await env.store.merge(R.nodes, name, { spec: { unschedulable: null } }, AS.controller)
  await mark(env, name, { lastAppliedDrain: `uncordon-${config}` })
  await say(env, name, {
    ...{ parent: 'UpdateComplete', child: 'Uncordoned', status: 'True' },
    message: 'UnCordoned node. The node is reporting Unschedulable = false',
  })
}
