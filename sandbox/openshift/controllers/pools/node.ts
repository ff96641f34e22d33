import type { JsonObject } from '../../../../lib/domain/json'
import { isUnavailable } from '../../../../lib/domain/pools/node-phase'
import type { ConfigNode } from '../../../../lib/domain/pools/types'
import type { KubeObject } from '../../../../lib/kubernetes/types'
import { poolOf, readConfigNode } from '../../../../lib/providers/openshift/config-nodes'
import { all, AS, conditionsWith, one, R, type Env } from '../env'

export const PREFIX = 'machineconfiguration.openshift.io/'
/** On a Node of the sandbox: `blocked`, its drain does not succeed as long as that stands there; `slow`, only after a while. */
export const DRAIN_FAULT = 'drydock.test/drain'

export interface Member {
  object: KubeObject
  node: ConfigNode
}

/** The nodes of a pool, each belonging to one. */
export function members(env: Env, pool: string): Member[] {
  const pools = all(env, R.pools)
  return all(env, R.nodes)
    .filter((node) => poolOf(node, pools) === pool)
    .map((object) => ({ object, node: readConfigNode(object, pool, undefined) }))
}

export const unavailable = ({ node }: Member): boolean => isUnavailable(node)

export const annotation = (env: Env, node: string, key: string): string | undefined =>
  one(env, R.nodes, node)?.metadata.annotations?.[key]

/** Annotations of the daemon, written to its node; `spec` beside them. */
export async function mark(
  env: Env,
  name: string,
  values: Record<string, string | null>,
  spec?: JsonObject,
): Promise<void> {
  const annotations = Object.fromEntries(Object.entries(values).map(([key, value]) => [PREFIX + key, value]))
  await env.store.merge(R.nodes, name, { metadata: { annotations }, ...(spec && { spec }) }, AS.daemon)
}

export async function setReady(env: Env, name: string, is: boolean): Promise<void> {
  const node = one(env, R.nodes, name)
  const [status, reason, message] = is
    ? ['True', 'KubeletReady', 'kubelet is posting ready status']
    : ['Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.']
  const conditions = node && conditionsWith(node, [{ type: 'Ready', status, reason, message }])
  if (conditions) await env.store.merge(R.nodes, name, { status: { conditions } }, AS.daemon, 'status')
}
