import { withoutSecrets } from '@/lib/domain/changes/secrets'
import { isHeld, isOurPause } from '@/lib/domain/latch/hold'
import { HELD } from '@/lib/domain/latch/names'
import type { Certificate, Pool } from '@/lib/domain/pools/types'
import type { OwnPause } from '@/lib/domain/rows'
import type { KubeObject } from '@/lib/kubernetes/types'
import { byWhom } from '../written-by'
import { at, count, items, text } from './loose'
import { conditionsOf, readClusterVersion } from './readers'

export const POOLS = {
  group: 'machineconfiguration.openshift.io',
  version: 'v1',
  plural: 'machineconfigpools',
} as const

const REQUIRED = 'operator.machineconfiguration.openshift.io/required-for-upgrade'

/** A MachineConfigPool, as its rules need it. */
export function readPool(object: KubeObject): Pool {
  const limit = at(object, 'spec', 'maxUnavailable')
  return {
    name: object.metadata.name,
    paused: isPaused(object),
    maxUnavailable: typeof limit === 'number' || typeof limit === 'string' ? limit : null,
    counts: {
      machines: count(object, 'status', 'machineCount'),
      updated: count(object, 'status', 'updatedMachineCount'),
      ready: count(object, 'status', 'readyMachineCount'),
      unavailable: count(object, 'status', 'unavailableMachineCount'),
      degraded: count(object, 'status', 'degradedMachineCount'),
    },
    currentConfig: text(object, 'status', 'configuration', 'name') ?? null,
    desiredConfig: text(object, 'spec', 'configuration', 'name') ?? null,
    conditions: conditionsOf(object),
    certificates: items(object, 'status', 'certExpirys').flatMap(certificate),
    image: object.built === null ? null : (object.built?.image ?? undefined),
    pending: count(object, 'status', 'observedGeneration') < (object.metadata.generation ?? 0),
    required: REQUIRED in (object.metadata.labels ?? {}),
  }
}

function certificate(item: unknown): Certificate[] {
  const [expiry, subject] = [text(item, 'expiry'), text(item, 'subject')]
  return expiry && subject ? [{ expiry, subject: withoutSecrets(subject), bundle: text(item, 'bundle') ?? '' }] : []
}

/** Who pauses a pool: Drydock (`held`: why), or a person (`paused`). */
export function poolPauseOf(object: KubeObject): { held: string | null; paused: boolean; ownPause: OwnPause | null } {
  const words = object.metadata.annotations?.[HELD]
  const held = isHeld(object) && isOurPause(object)
  const paused = at(object, 'spec', 'paused') === true && !held
  return {
    held: held ? words || 'held by Drydock' : null,
    paused,
    ownPause: paused
      ? {
          ...{ annotation: false, spec: true, guarded: words !== undefined || isOurPause(object) },
          ...byWhom(object, 'spec', 'paused'),
        }
      : null,
  }
}

/** What renders configs of pools, and counts their nodes. */
const OPERATOR = /^machine-config-(controller|operator|daemon|server)$/

/**
 * Field manager that wrote which config a pool is to have, where it was not the operator: who wrote the MachineConfig that it
 * rendered stands nowhere on the pool. Nor does anything say whose change brought an OS image (`byImage`): one is built anew for a
 * MachineOSConfig, for a config, or for another base. Null: nobody knows.
 */
export function poolAuthor(object: KubeObject, byImage: boolean): string | null {
  if (byImage) return null
  const writers = (object.metadata.managedFields ?? []).filter(
    ({ manager, subresource, fieldsV1 }) =>
      manager &&
      !subresource &&
      manager !== 'drydock' &&
      !OPERATOR.test(manager) &&
      at(fieldsV1, 'f:spec', 'f:configuration') !== undefined,
  )
  return writers.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0]?.manager ?? null
}

/** The release that the cluster is at or on its way to, and whether it is on its way; null: what is not read or says nothing yet. */
export function readWanted(clusterVersion: KubeObject | undefined): {
  wanted: string | null
  updating: boolean | null
} {
  const { updating, version, newest } = readClusterVersion(clusterVersion)
  return {
    wanted: text(clusterVersion, 'status', 'desired', 'version') ?? version,
    updating: newest === undefined ? null : updating,
  }
}

export const isPaused = (object: KubeObject): boolean => at(object, 'spec', 'paused') === true

/**
 * When a pool was paused at the latest: the last write of anything by whoever owns spec.paused now. Null: it is not, or nobody says.
 */
export function pausedSince(object: KubeObject): string | null {
  if (!isPaused(object)) return null
  const times = ownersOfPause(object).flatMap(({ time }) => time ?? [])
  return times.sort().at(-1) ?? null
}

const ownersOfPause = ({ metadata }: KubeObject) =>
  (metadata.managedFields ?? []).filter(({ fieldsV1 }) => at(fieldsV1, 'f:spec', 'f:paused') !== undefined)

/** Field managers that own spec.paused, each without blanks. */
export const pauseOwners = (object: KubeObject): string[] =>
  ownersOfPause(object).map(({ manager }) => (manager ?? '').replaceAll(' ', '-'))
