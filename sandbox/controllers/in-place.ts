import type { JsonObject } from '../../lib/domain/json'
import type { WriteAs } from '../types'
import { difference } from './clones'
import type { Env } from './env'
import { isUpdating, json, keyOf, listed, type Machine } from './kinds'
import { ANNOTATION, CONFIGS, DEV_MACHINES, MACHINES } from './names'

export interface DesiredMachine {
  version?: string
  failureDomain?: string
  infrastructure: { spec: JsonObject; annotations: Record<string, string> }
  bootstrap?: { spec: JsonObject; annotations?: Record<string, string> }
}

/** Writes the desired spec to all three objects, then asks for UpdateMachine. Every step may be repeated. */
export async function triggerInPlace(env: Env, machine: Machine, desired: DesiredMachine, as: WriteAs) {
  const mark = { [ANNOTATION.updating]: '' }
  const key = keyOf(machine)
  if (machine.metadata.annotations?.[ANNOTATION.updating] === undefined) {
    await env.store.merge(MACHINES, key, { metadata: { annotations: mark } }, as)
  }
  const { namespace } = machine.metadata
  const infrastructure = `${namespace}/${machine.spec.infrastructureRef.name}`
  const live = env.store.get(DEV_MACHINES, infrastructure)
  if (!live) throw new Error(`in-place update not possible: DevMachine ${infrastructure} not found`)
  // What the provider wrote into the spec is not the template's to take away.
  const kept: JsonObject = live.spec?.providerID === undefined ? {} : { providerID: live.spec.providerID }
  await env.store.merge(
    DEV_MACHINES,
    infrastructure,
    json({
      metadata: { annotations: { ...desired.infrastructure.annotations, ...mark } },
      spec: difference(live.spec ?? {}, { ...desired.infrastructure.spec, ...kept }),
    }),
    as,
  )
  const config = machine.spec.bootstrap.configRef && `${namespace}/${machine.spec.bootstrap.configRef.name}`
  const liveConfig = config ? env.store.get(CONFIGS, config) : undefined
  if (config && liveConfig && desired.bootstrap) {
    await env.store.merge(
      CONFIGS,
      config,
      json({
        metadata: { annotations: { ...desired.bootstrap.annotations, ...mark } },
        spec: difference(liveConfig.spec ?? {}, keepDiscovery(desired.bootstrap.spec, liveConfig.spec)),
      }),
      as,
    )
  }
  await env.store.merge(
    MACHINES,
    key,
    json({ spec: { version: desired.version ?? null, failureDomain: desired.failureDomain ?? null } }),
    as,
  )
  await env.store.merge(
    MACHINES,
    key,
    { metadata: { annotations: { [ANNOTATION.pendingHooks]: 'UpdateMachine' } } },
    as,
  )
}

/** The join part with its token is the bootstrap provider's. */
function keepDiscovery(wanted: JsonObject, live: JsonObject | undefined): JsonObject {
  const discovery = (live?.joinConfiguration as JsonObject | undefined)?.discovery
  if (discovery === undefined) return wanted
  return { ...wanted, joinConfiguration: { ...(wanted.joinConfiguration as JsonObject | undefined), discovery } }
}

/** Marked, but the hook is not pending yet: somebody stopped in the middle. */
export const triggerInterrupted = (machine: Machine) =>
  isUpdating(machine) &&
  machine.metadata.annotations?.[ANNOTATION.pendingMove] === undefined &&
  !listed(machine.metadata.annotations?.[ANNOTATION.pendingHooks]).includes('UpdateMachine')

/** Marks go in the order in which the real controller takes them: the update first, then the pending hook. */
export async function finishInPlace(env: Env, machine: Machine, as: WriteAs) {
  const { namespace } = machine.metadata
  const unmark = { metadata: { annotations: { [ANNOTATION.updating]: null } } }
  await env.store.merge(DEV_MACHINES, `${namespace}/${machine.spec.infrastructureRef.name}`, unmark, as)
  const config = machine.spec.bootstrap.configRef?.name
  if (config && env.store.get(CONFIGS, `${namespace}/${config}`)) {
    await env.store.merge(CONFIGS, `${namespace}/${config}`, unmark, as)
  }
  await env.store.merge(MACHINES, keyOf(machine), unmark, as)
  await env.store.merge(
    MACHINES,
    keyOf(machine),
    { metadata: { annotations: { [ANNOTATION.pendingHooks]: null } } },
    as,
  )
}
