import { isControllers, PROPAGATED } from '../../lib/domain/changes/propagated'
import type { Json, JsonObject } from '../../lib/domain/json'
import { AS, type Env } from './env'
import { json, keyOf, type ControlPlane, type Machine, type MachineDeployment, type MachineSet } from './kinds'
import { MACHINES, MACHINE_SETS } from './names'

const FIELDS = [...PROPAGATED, 'deletion']

interface Template {
  metadata?: { labels?: JsonObject; annotations?: JsonObject }
  spec?: JsonObject
}

/** What is written to machines that are there without a rollout: their labels, annotations, time-outs, taints. */
export async function propagateToSet(env: Env, deployment: MachineDeployment, set: MachineSet): Promise<void> {
  const [had, wanted] = [set, deployment].map((owner) => parts(json(owner.spec.template) as Template))
  const [labels, annotations, spec] = wanted!.map((part, i) => ({
    ...removed(had![i]!, part),
    ...differing(had![i]!, part),
  }))
  if (![labels, annotations, spec].some((part) => Object.keys(part!).length > 0)) return
  const patch = { metadata: { labels: labels!, annotations: annotations! }, spec: spec! }
  await env.store.merge(MACHINE_SETS, keyOf(set), { spec: { template: patch } }, AS.machineDeployment)
  for (const machine of env.cache.owned(MACHINES, set.metadata.uid)) {
    // One that is on its way out gets only what says how it goes.
    const going = machine.metadata.deletionTimestamp !== undefined
    if (going && Object.keys(spec!).length === 0) continue
    await env.store.merge(MACHINES, keyOf(machine), going ? { spec: spec! } : patch, AS.machineSet)
  }
}

/** The same of a control plane. What was taken away from it stays on its machines: it may be somebody else's. */
export async function propagateToMachines(env: Env, owner: ControlPlane, machines: readonly Machine[]): Promise<void> {
  const { metadata, spec = {} } = json(owner.spec.machineTemplate) as Template
  const deletion = spec.deletion as JsonObject | undefined
  for (const machine of machines) {
    const there = json(machine.spec) as { deletion?: JsonObject; taints?: Json }
    const labels = differing(machine.metadata.labels ?? {}, metadata?.labels)
    const annotations = differing(machine.metadata.annotations ?? {}, metadata?.annotations)
    const fields = {
      ...differing({ taints: there.taints ?? [] }, spec.taints === undefined ? {} : { taints: spec.taints }),
      ...some('deletion', differing(there.deletion ?? {}, deletion)),
    }
    const going = machine.metadata.deletionTimestamp !== undefined
    const parts = going ? [fields] : [labels, annotations, fields]
    if (parts.every((part) => Object.keys(part).length === 0)) continue
    const patch = { ...(going ? {} : { metadata: { labels, annotations } }), spec: fields }
    await env.store.merge(MACHINES, keyOf(machine), patch, AS.controlPlane)
  }
}

/** Labels, annotations and fields that are propagated. */
const parts = ({ metadata, spec = {} }: Template): JsonObject[] => [
  metadata?.labels ?? {},
  metadata?.annotations ?? {},
  Object.fromEntries(FIELDS.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]]))),
]

const some = (key: string, part: JsonObject): JsonObject => (Object.keys(part).length > 0 ? { [key]: part } : {})

/** What is wanted and is not so there. */
const differing = (there: JsonObject, wanted: JsonObject = {}): JsonObject =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([key, v]) => !isControllers(key) && JSON.stringify(there[key]) !== JSON.stringify(v),
    ),
  )

/** As a merge patch takes it away. */
const removed = (had: JsonObject, wanted: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(had).flatMap((key) => (key in wanted || isControllers(key) ? [] : [[key, null]])))
