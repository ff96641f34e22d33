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

const refTo: Step = ({ apiGroup, ...rest }) => ({
  ...(apiGroup ? { apiVersion: `${String(apiGroup)}/v1beta2` } : {}),
  ...rest,
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

const machineTo: Step = (spec) =>
  within(within(timeoutsTo(spec), ['infrastructureRef'], refTo), ['bootstrap', 'configRef'], refTo)
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
  to: (_version, object) => within(object, ['spec'], machineTo),
  from: (_version, object) => within(object, ['spec'], machineFrom),
}

export const convertMachineSet: Convert = {
  to: (_version, object) => within(object, TEMPLATE, machineTo),
  from: (_version, object) => within(object, TEMPLATE, machineFrom),
}

export const convertMachineDeployment: Convert = {
  to: (_version, object) => within(within(object, ['spec'], rolloutTo('strategy')), TEMPLATE, machineTo),
  from: (_version, object) => within(within(object, ['spec'], rolloutFrom('strategy')), TEMPLATE, machineFrom),
}

const MACHINE_TEMPLATE = ['spec', 'machineTemplate']

/** The template's spec was spread over the template itself. */
const flat: Step = (template) => {
  if (!isObject(template.spec)) return template
  const { spec, ...rest } = template
  return { ...rest, ...machineTo(spec as JsonObject) }
}
const nested: Step = ({ metadata, ...spec }) => ({
  ...(metadata === undefined ? {} : { metadata }),
  ...(Object.keys(spec).length ? { spec: machineFrom(spec) } : {}),
})

export const convertControlPlane: Convert = {
  to: (_version, object) => within(within(object, ['spec'], rolloutTo('rolloutStrategy')), MACHINE_TEMPLATE, flat),
  from: (_version, object) =>
    within(within(object, ['spec'], rolloutFrom('rolloutStrategy')), MACHINE_TEMPLATE, nested),
}
