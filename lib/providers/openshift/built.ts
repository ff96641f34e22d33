import { KubeError, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { text } from './loose'

export const OS_CONFIGS = 'machineosconfigs.machineconfiguration.openshift.io'
const OS_CONFIG = { group: 'machineconfiguration.openshift.io', plural: 'machineosconfigs' }

/**
 * A pool with the OS image that is built for it, which stands on another object: a new image reaches its nodes without any write to
 * the pool (getConfigAndBuild in pkg/controller/node/node_controller.go). `configs` undefined: they cannot be read.
 */
export function withBuilt(pool: KubeObject, configs: Iterable<KubeObject> | undefined): KubeObject {
  if (configs === undefined) return { ...pool, built: undefined }
  for (const config of configs) {
    if (text(config, 'spec', 'machineConfigPool', 'name') !== pool.metadata.name) continue
    // v1, and v1alpha1 as it was spelt.
    const image = text(config, 'status', 'currentImagePullSpec') ?? text(config, 'status', 'currentImagePullspec')
    return { ...pool, built: { image: image || null } }
  }
  return { ...pool, built: null }
}

/** The same, asked of the API server. `version`: in which these objects are served; undefined: in none. */
export async function readBuilt(
  client: KubeClient,
  pool: KubeObject,
  version: string | undefined,
): Promise<KubeObject> {
  if (version === undefined) return withBuilt(pool, [])
  try {
    // One for each pool at most.
    const { items } = await client.list({ ...OS_CONFIG, version }, undefined)
    return withBuilt(pool, items)
  } catch (error) {
    if (!(error instanceof KubeError) || (error.code !== 403 && error.code !== 404)) throw error
    // Not in this version any more: whether in another one, discovery will tell.
    return withBuilt(pool, undefined)
  }
}
