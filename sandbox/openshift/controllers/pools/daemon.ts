import type { Effect } from '../../../../lib/domain/pools/effect'
import { effectOn } from '../disruption'
import { one, R, type Env } from '../env'
import { drain, uncordon } from './drain'
import { annotation, mark, PREFIX, setReady } from './node'
import { say } from './steps'

const WRITE_SECONDS = 4
const REBOOT_SECONDS = 6
const RELOAD_SECONDS = 1

/** The machine config daemon of one node: takes its node to the config that it was told, from wherever it stands. */
export async function takeUp(env: Env, name: string): Promise<void> {
  const config = annotation(env, name, `${PREFIX}desiredConfig`)
  const image = annotation(env, name, `${PREFIX}desiredImage`)
  if (config === undefined) return
  const newImage = annotation(env, name, `${PREFIX}currentImage`) !== image
  const does = newImage ? 'reboot' : effectOn(env, annotation(env, name, `${PREFIX}currentConfig`), config)
  const drains = does === 'reboot' || does === 'drain'
  await mark(env, name, { state: 'Working' })
  await say(env, name, { parent: 'Updated', status: 'False', message: `Node ${name} needs an update` })
  await say(env, name, {
    ...{ parent: 'UpdatePrepared', status: 'True' },
    message: `Update Compatible. Post Cfg Actions []: Drain Required: ${drains}`,
  })
  if (drains) {
    if (!(await drain(env, name, config))) return
  } else {
    await say(env, name, {
      ...{ parent: 'UpdateExecuted', child: 'Drained', status: 'False', phase: 'Unknown' },
      message: 'Node Drain Not required for this update.',
    })
  }
  const written = { parent: 'UpdateExecuted', child: 'AppliedFilesAndOS' }
  await say(env, name, { ...written, status: 'Unknown', message: 'Applying files and new OS config to node.' })
  if (!(await env.sleep(WRITE_SECONDS))) return
  await say(env, name, { ...written, status: 'True', message: 'Applied files and new OS config to node.' })
  if (!(await (does === 'reboot' ? reboot(env, name) : act(env, name, does)))) return
  await mark(env, name, { currentConfig: config, currentImage: image ?? null, desiredDrain: `uncordon-${config}` })
  await say(env, name, {
    parent: 'Resumed',
    status: 'True',
    message: `In desired config ${config}. Resumed normal operations.`,
  })
  if (!(await env.sleep(1))) return
  await uncordon(env, name, config)
  await mark(env, name, { state: 'Done', reason: '' })
  await say(env, name, { parent: 'Updated', status: 'True', message: `Node ${name} Updated` })
}

async function reboot(env: Env, name: string): Promise<boolean> {
  await mark(env, name, { state: 'Rebooting' })
  await say(env, name, { parent: 'RebootedNode', status: 'Unknown', message: 'Upgrade requires a reboot.' })
  await setReady(env, name, false)
  if (!(await env.sleep(REBOOT_SECONDS))) return false
  await setReady(env, name, true)
  await say(env, name, { parent: 'RebootedNode', status: 'True', message: 'Node has rebooted' })
  return true
}

/** What is done where no reboot is needed; a restart of services is told by an event alone. */
async function act(env: Env, name: string, does: Effect): Promise<boolean> {
  if (does === 'none')
    await say(env, name, {
      ...{ parent: 'UpdatePostActionComplete', status: 'True' },
      message: 'Changes do not require a reboot',
    })
  if (does === 'reload')
    await say(env, name, {
      ...{ parent: 'UpdatePostActionComplete', status: 'True' },
      message: 'Node has reloaded service crio',
    })
  return env.sleep(RELOAD_SECONDS)
}

/** Whether a daemon has something to do: it was told another config, or was stopped in the middle of one. */
export function hasWork(env: Env, name: string): boolean {
  const annotations = one(env, R.nodes, name)?.metadata.annotations ?? {}
  const of = (key: string) => annotations[PREFIX + key]
  if (of('currentConfig') === undefined || of('state') === 'Unreconcilable') return false
  return (
    of('currentConfig') !== of('desiredConfig') || of('currentImage') !== of('desiredImage') || of('state') !== 'Done'
  )
}
