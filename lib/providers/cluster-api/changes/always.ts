import { isObject, same } from '@/lib/domain/changes'
import { below } from '@/lib/domain/changes/diff'
import { isControllers, PROPAGATED } from '@/lib/domain/changes/propagated'
import type { ShownChange } from '@/lib/domain/changes/types'
import type { Json, JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { objectAt } from './read'

interface Template {
  metadata: JsonObject
  spec: JsonObject
}

// v1beta1 has the time-outs at the top.
const TIMEOUT = /^node(Drain|VolumeDetach|Deletion)Timeout(Seconds)?$/
/** desired_state.go, ComputeDesiredMachine. */
const OF_CONTROL_PLANES = ['taints']

/** Of a MachineDeployment: what the templates of its MachineSets do not have yet. */
export function alwaysOfDeployment(group: KubeObject, sets: readonly KubeObject[]): ShownChange[] {
  const template = (object: KubeObject) => partsOf(objectAt(object.spec, 'template'), PROPAGATED)
  return distinct(sets.map((set) => between(template(set), template(group))))
}

/** Of a control plane: what its machines do not have yet. What was taken away cannot be told from what others wrote. */
export function alwaysOfControlPlane(group: KubeObject, machines: readonly KubeObject[]): ShownChange[] {
  const template = objectAt(group.spec, 'machineTemplate') ?? {}
  const wanted = partsOf({ ...template, spec: objectAt(template, 'spec') ?? template }, OF_CONTROL_PLANES)
  const had = ({ metadata, spec }: KubeObject): Template => {
    const { labels = {}, annotations = {} } = metadata
    const parts = partsOf({ metadata: { labels, annotations }, spec: spec ?? {} }, OF_CONTROL_PLANES)
    // What the template does not speak of is defaulted on the Machine (webhooks/admission/machine.go), or somebody else's.
    const known = (part: JsonObject, of: JsonObject) =>
      Object.fromEntries(Object.entries(part).filter(([key]) => Object.hasOwn(of, key)))
    return { metadata: known(parts.metadata, wanted.metadata), spec: known(parts.spec, wanted.spec) }
  }
  return distinct(machines.map((machine) => between(had(machine), wanted)))
}

/** Labels and annotations by path, and the fields that are propagated. */
function partsOf(template: JsonObject | undefined, fields: readonly string[]): Template {
  const words = (['labels', 'annotations'] as const).flatMap((key) =>
    Object.entries(objectAt(template, 'metadata', key) ?? {})
      .filter(([name]) => !isControllers(name))
      .map(([name, value]) => [below(`metadata.${key}`, name), value] as const),
  )
  const spec = objectAt(template, 'spec') ?? {}
  const deletion = Object.entries(objectAt(spec, 'deletion') ?? {}).filter(([key]) => TIMEOUT.test(key))
  const own = Object.entries(spec).filter(([key]) => fields.includes(key) || TIMEOUT.test(key))
  return {
    metadata: Object.fromEntries(words),
    spec: Object.fromEntries([...own, ...deletion.map(([key, value]) => [below('deletion', key), value] as const)]),
  }
}

function between(had: Template, wanted: Template): ShownChange[] {
  return (['metadata', 'spec'] as const).flatMap((part) => {
    const paths = [...new Set([...Object.keys(had[part]), ...Object.keys(wanted[part])])].sort()
    return paths.flatMap((path): ShownChange[] => {
      const [current, desired] = [had[part][path], wanted[part][path]]
      if (same(current, desired) || (isEmpty(current) && isEmpty(desired))) return []
      return [
        {
          ...{ object: 'machine', path, always: true },
          ...(current === undefined ? {} : { current }),
          ...(desired === undefined ? {} : { desired }),
        },
      ]
    })
  })
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0)

/** Each place once: machines may be at several values on their way to the same one. */
function distinct(all: ShownChange[][]): ShownChange[] {
  return [...new Map(all.flat().map((change) => [change.path, change])).values()]
}
