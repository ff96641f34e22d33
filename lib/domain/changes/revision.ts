import type { JsonObject } from '../json'
import { isObject, pruned, valueAt } from './canonical'
import { bootstrapPart } from './kubeadm'

/** One revision as Cluster API compares it: three specs, of templates (workers) or of live objects (control planes). */
export interface Revision {
  machine: JsonObject
  infrastructure?: JsonObject
  bootstrap?: JsonObject
  /** Templates of any provider are compared as they are (machinedeployment_canupdatemachineset.go, matchesUnstructuredSpec). */
  workers?: true
}

/** The part of a Machine's spec, or of a MachineSet's template, that can make it outdated. */
export function machinePart(spec: JsonObject): JsonObject {
  const ref = (...path: string[]) => {
    const at = valueAt(spec, ...path)
    return isObject(at) ? { apiGroup: groupOf(at), kind: at.kind ?? null, name: at.name ?? null } : undefined
  }
  return (pruned({
    version: spec.version ?? null,
    failureDomain: spec.failureDomain ?? null,
    infrastructureRef: ref('infrastructureRef') ?? null,
    bootstrap: {
      configRef: ref('bootstrap', 'configRef') ?? null,
      dataSecretName: valueAt(spec, 'bootstrap', 'dataSecretName') ?? null,
    },
  }) ?? {}) as JsonObject
}

/** Cluster API compares references whole, but for their API version: v1beta2 names the group, v1beta1 has it in apiVersion. */
function groupOf({ apiGroup, apiVersion }: JsonObject): string {
  if (typeof apiGroup === 'string') return apiGroup
  return typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''
}

/** An infrastructure spec without what the provider wrote into the live object. */
function infrastructurePart(spec: JsonObject): JsonObject {
  const { providerID: _providerID, ...rest } = spec
  return rest
}

const asItIs = (spec: JsonObject): JsonObject => spec
const PARTS = { machine: machinePart, infrastructure: infrastructurePart, bootstrap: bootstrapPart }
const PARTS_OF_WORKERS = { machine: machinePart, infrastructure: asItIs, bootstrap: asItIs }

/** One of the three as it is compared; undefined: not compared. */
export function partOf(revision: Revision, object: keyof typeof PARTS): JsonObject | undefined {
  const spec = revision[object]
  return spec && (revision.workers ? PARTS_OF_WORKERS : PARTS)[object](spec)
}
