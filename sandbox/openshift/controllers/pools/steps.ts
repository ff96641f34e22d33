import type { JsonObject } from '../../../../lib/domain/json'
import { AS, one, R, timestamp, type Env } from '../env'

type Status = 'True' | 'Unknown' | 'False'

/** One step as the operator reports it: a condition of its own, and of the phase that it is a part of. */
export interface Said {
  parent: string
  child?: string
  status: Status
  /** Of the phase, where another than of the step. */
  phase?: Status
  message: string
}

/**
 * Writes one step to a node's MachineConfigNode. `Updated` closes an update: what was True or Unknown becomes False, with words that
 * tell of which update it was (pkg/upgrademonitor/upgrade_monitor.go).
 */
export async function say(
  env: Env,
  node: string,
  { parent, child, status, phase = status, message }: Said,
): Promise<void> {
  const object = one(env, R.configNodes, node)
  const config = one(env, R.nodes, node)?.metadata.annotations ?? {}
  if (!object) return
  const closes = parent === 'Updated' && status === 'True'
  const desired = config['machineconfiguration.openshift.io/desiredConfig'] ?? ''
  const now = timestamp()
  const conditions = ((object.status?.conditions ?? []) as JsonObject[]).map((c) => {
    if (c.type === child) return { ...c, status, message, reason: `${parent}${child}`, lastTransitionTime: now }
    if (c.type === parent) return { ...c, status: phase, message, reason: child ?? parent, lastTransitionTime: now }
    if (c.type === 'Updated' && c.status === 'True')
      return { ...c, status: 'False', message: 'not updated any more', reason: 'Updated', lastTransitionTime: now }
    if (closes && c.status !== 'False' && !INDEPENDENT.includes(String(c.type)))
      return {
        ...c,
        status: 'False',
        message: `Action during update to ${desired}: ${String(c.message)}`,
        lastTransitionTime: now,
      }
    return c
  })
  const spec = { configVersion: { desired } }
  if ((object.spec?.configVersion as JsonObject | undefined)?.desired !== desired)
    await env.store.merge(R.configNodes, node, { spec }, AS.controller)
  const current = config['machineconfiguration.openshift.io/currentConfig'] ?? ''
  const configVersion = { current, desired: parent === 'UpdatePrepared' && status !== 'True' ? 'not-yet-set' : desired }
  await env.store.merge(R.configNodes, node, { status: { conditions, configVersion } }, AS.daemon, 'status')
}

const INDEPENDENT = ['PinnedImageSetsProgressing', 'PinnedImageSetsDegraded']
