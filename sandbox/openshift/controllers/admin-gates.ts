import type { JsonObject } from '../../../lib/domain/json'
import { minorOf } from '../../../lib/domain/skew/version'
import { ADMIN_GATES, keyOf } from '../../../lib/providers/openshift/gates'
import { strings } from '../../../lib/providers/openshift/loose'
import { readClusterVersion, readInfrastructure, readSkewState } from '../../../lib/providers/openshift/readers'
import { one, R, AS, type Env } from './env'

interface Guard {
  minor: string
  name: string
  text: string
  platforms: readonly string[]
  /** An entry for machine sets has to be there; else any list will do. */
  entry: boolean
}

/** Of the releases whose Machine Config Operator asks before the next one manages boot images by itself. */
const GUARDS: readonly Guard[] = [
  {
    minor: '4.18',
    name: 'ack-4.18-boot-image-opt-out-in-4.19',
    text: 'Boot images of machine sets on AWS and GCP are managed from 4.19 on. Confirm, or configure them first.',
    platforms: ['AWS', 'GCP'],
    entry: false,
  },
  {
    minor: '4.21',
    name: 'ack-4.21-boot-image-opt-out-in-4.22',
    text: 'Boot images of machine sets on Azure and vSphere are managed from 4.22 on. Confirm, or configure them first.',
    platforms: ['Azure', 'VSphere'],
    entry: true,
  },
]

/** Sets the gate where nobody has said anything about managed boot images, and takes it back as soon as somebody has. */
export async function guardBootImages(env: Env): Promise<void> {
  const gates = one(env, R.configMaps, keyOf(ADMIN_GATES))
  const configuration = one(env, R.configuration, 'cluster')
  if (!gates || !configuration) return
  const platform = readInfrastructure(one(env, R.infrastructures, 'cluster'))
  const minor = minorOf(readClusterVersion(one(env, R.clusterVersions, 'version')).version ?? '')
  const { managers } = readSkewState(configuration, false)
  const data: JsonObject = {}
  for (const guard of GUARDS) {
    const said = guard.entry ? managers?.some((m) => m.resource === 'machinesets') : managers !== undefined
    const needed = guard.minor === minor && guard.platforms.includes(platform.type) && !platform.azureStack && !said
    const there = guard.name in strings(gates, 'data')
    // What another release set stays: only the operator of that release takes its gate away.
    if (guard.minor === minor && needed !== there) data[guard.name] = needed ? guard.text : null
  }
  if (Object.keys(data).length > 0) await env.store.merge(R.configMaps, keyOf(ADMIN_GATES), { data }, AS.operator)
}
