import type { Json, JsonObject } from '../../../lib/domain/json'
import type { Resource } from '../resources'
import { isObject } from '../schema'

/**
 * Between Cluster API's stored v1beta2 and its v1beta1: references, rollout, time-outs. Other fields stay under their
 * v1beta2 names, so that a write through either version loses nothing.
 */
type Convert = NonNullable<Resource['convert']>
type Step = (part: JsonObject) => JsonObject

/** Applies a step to the object at a path, where there is one. */
function within(object: JsonObject, path: string[], step: Step): JsonObject {
  const [key, ...rest] = path
  if (key === undefined) return step(object)
  const part = object[key]
  return isObject(part) ? { ...object, [key]: within(part, rest, step) } : object
}

const namespaceOf = (object: JsonObject) => (object.metadata as JsonObject | undefined)?.namespace

/** References had a version and a namespace; of infrastructure and bootstrap both are the object's own. */
const refTo =
  (namespace: Json | undefined): Step =>
  ({ apiGroup, ...rest }) => ({
    ...(apiGroup ? { apiVersion: `${String(apiGroup)}/v1beta2` } : {}),
    ...rest,
    ...(namespace ? { namespace } : {}),
  })
const refFrom: Step = ({ apiVersion, namespace: _namespace, ...rest }) => ({
  ...(apiVersion ? { apiGroup: String(apiVersion).split('/')[0]! } : {}),
  ...rest,
})

const TIMEOUTS = ['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout']
const UNITS: Record<string, number> = { h: 3600, m: 60, s: 1 }
const seconds = (text: Json) =>
  [...String(text).matchAll(/(\d+)([hms])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0)

function timeoutsTo(spec: JsonObject): JsonObject {
  if (!isObject(spec.deletion)) return spec
  let deletion = spec.deletion
  const out: JsonObject = { ...spec }
  for (const name of TIMEOUTS) {
    const value = deletion[`${name}Seconds`]
    if (value === undefined) continue
    out[name] = `${String(value)}s`
    deletion = Object.fromEntries(Object.entries(deletion).filter(([key]) => key !== `${name}Seconds`))
  }
  if (Object.keys(deletion).length) out.deletion = deletion
  else delete out.deletion
  return out
}

function timeoutsFrom(spec: JsonObject): JsonObject {
  const found = TIMEOUTS.filter((name) => spec[name] !== undefined)
  if (!found.length) return spec
  const rest = Object.fromEntries(Object.entries(spec).filter(([key]) => !found.includes(key)))
  const given = Object.fromEntries(found.map((name) => [`${name}Seconds`, seconds(spec[name]!)]))
  return { ...rest, deletion: { ...(isObject(spec.deletion) ? spec.deletion : {}), ...given } }
}

const machineTo =
  (namespace: Json | undefined): Step =>
  (spec) =>
    within(
      within(timeoutsTo(spec), ['infrastructureRef'], refTo(namespace)),
      ['bootstrap', 'configRef'],
      refTo(namespace),
    )
const machineFrom: Step = (spec) =>
  within(within(timeoutsFrom(spec), ['infrastructureRef'], refFrom), ['bootstrap', 'configRef'], refFrom)

/** `rollout.after` and `rollout.strategy` stood beside each other. */
const rolloutTo =
  (strategy: string): Step =>
  (spec) => {
    if (!isObject(spec.rollout)) return spec
    const { rollout, ...rest } = spec
    const { after, strategy: how, ...more } = rollout as JsonObject
    return {
      ...rest,
      ...(after === undefined ? {} : { rolloutAfter: after }),
      ...(how === undefined ? {} : { [strategy]: how }),
      ...(Object.keys(more).length ? { rollout: more } : {}),
    }
  }

const rolloutFrom =
  (strategy: string): Step =>
  (spec) => {
    const { rolloutAfter, [strategy]: how, ...rest } = spec
    if (rolloutAfter === undefined && how === undefined) return spec
    const more = isObject(spec.rollout) ? spec.rollout : {}
    const parts = {
      ...(rolloutAfter === undefined ? {} : { after: rolloutAfter }),
      ...(how === undefined ? {} : { strategy: how }),
    }
    return { ...rest, rollout: { ...more, ...parts } }
  }

const TEMPLATE = ['spec', 'template', 'spec']

export const convertMachine: Convert = {
  to: (_version, object) => within(object, ['spec'], machineTo(namespaceOf(object))),
  from: (_version, object) => within(object, ['spec'], machineFrom),
}

export const convertMachineSet: Convert = {
  to: (_version, object) => within(object, TEMPLATE, machineTo(namespaceOf(object))),
  from: (_version, object) => within(object, TEMPLATE, machineFrom),
}

export const convertMachineDeployment: Convert = {
  to: (_version, object) =>
    within(within(object, ['spec'], rolloutTo('strategy')), TEMPLATE, machineTo(namespaceOf(object))),
  from: (_version, object) => within(within(object, ['spec'], rolloutFrom('strategy')), TEMPLATE, machineFrom),
  unknown: ['spec.rollout', 'spec.template.spec.deletion'],
}

const MACHINE_TEMPLATE = ['spec', 'machineTemplate']

/** The template's spec was spread over the template itself. */
const flat =
  (namespace: Json | undefined): Step =>
  (template) => {
    if (!isObject(template.spec)) return template
    const { spec, ...rest } = template
    return { metadata: {}, ...rest, ...machineTo(namespace)(spec as JsonObject) }
  }
const nested: Step = ({ metadata, ...spec }) => ({
  ...(isObject(metadata) && Object.keys(metadata).length ? { metadata } : {}),
  ...(Object.keys(spec).length ? { spec: machineFrom(spec) } : {}),
})

const CONFIGURATION = ['spec', 'kubeadmConfigSpec', 'clusterConfiguration']
const COMPONENTS = ['controllerManager', 'dns', 'etcd', 'networking', 'scheduler']
/** Parts that were never left out. */
const filled: Step = (part) => ({ ...Object.fromEntries(COMPONENTS.map((name) => [name, {}])), ...part })
const emptied: Step = (part) =>
  Object.fromEntries(
    Object.entries(part).filter(
      ([key, value]) => !(COMPONENTS.includes(key) && isObject(value) && !Object.keys(value).length),
    ),
  )

export const convertControlPlane: Convert = {
  to: (_version, object) =>
    within(
      within(within(object, ['spec'], rolloutTo('rolloutStrategy')), MACHINE_TEMPLATE, flat(namespaceOf(object))),
      CONFIGURATION,
      filled,
    ),
  from: (_version, object) =>
    within(
      within(within(object, ['spec'], rolloutFrom('rolloutStrategy')), MACHINE_TEMPLATE, nested),
      CONFIGURATION,
      emptied,
    ),
  unknown: ['spec.rollout', 'spec.machineTemplate.spec'],
}
