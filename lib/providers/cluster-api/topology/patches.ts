import type { Json } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, items, text } from '../../fields'

/** Whose machines a ClusterClass' patch can change. */
export interface Reach {
  controlPlane: boolean
  /** Classes of MachineDeployments, with "*" as upstream matches them. */
  classes: string[]
}

export interface ReadingPatch {
  name: string
  reach: Reach
}

const EVERYTHING: Reach = { controlPlane: true, classes: ['*'] }

/** Whether a patch's template, or the name of the variable that it takes, reads something. */
export type Reads = (words: string) => boolean

/**
 * The patches of a ClusterClass that read what `reads` names, with the machines that they can change. Drydock does not
 * evaluate them: an extension computes some, and templates the others. Which they are is known, what they make is not.
 */
export function patchesReading(clusterClass: KubeObject, reads: Reads): ReadingPatch[] {
  return items(clusterClass.spec, 'patches').flatMap((patch) => {
    const name = text(patch, 'name') ?? 'without a name'
    if (at(patch, 'external') !== undefined) return [{ name, reach: EVERYTHING }]
    if (reads(text(patch, 'enabledIf') ?? '')) return [{ name, reach: reachOf(items(patch, 'definitions')) }]
    const reading = items(patch, 'definitions').filter((definition) =>
      items(definition, 'jsonPatches').some(
        (one) => reads(text(one, 'valueFrom', 'variable') ?? '') || reads(text(one, 'valueFrom', 'template') ?? ''),
      ),
    )
    return reading.length > 0 ? [{ name, reach: reachOf(reading) }] : []
  })
}

function reachOf(definitions: Json[]): Reach {
  const matches = definitions.map((definition) => at(definition, 'selector', 'matchResources'))
  return {
    controlPlane: matches.some((match) => at(match, 'controlPlane') === true),
    classes: matches.flatMap((match) => items(match, 'machineDeploymentClass', 'names').map(String)),
  }
}

/** As upstream: "*" alone, in front or at the end. */
export function reaches({ classes }: Reach, deploymentClass: string): boolean {
  return classes.some((pattern) =>
    pattern.includes('*')
      ? new RegExp(
          `^${pattern
            .split('*')
            .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*')}$`,
        ).test(deploymentClass)
      : pattern === deploymentClass,
  )
}

/** Names a variable as a patch would: alone, or the way into it. */
export function readsVariable(name: string): Reads {
  const named = new RegExp(`(^|[^A-Za-z0-9_-])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}([^A-Za-z0-9_-]|$)`)
  return (words) => named.test(words)
}

/** Objects among the builtin variables in which a version or a number of replicas stands, however deep. */
const WHOLE = /builtin(\.(cluster(\.topology)?|controlPlane|machineDeployment|machinePool))?(?![.\w])/
/** Where a whole object is taken, by `with`, `$b :=` or `valueFrom.variable`, nobody knows what is read of it. */
const readsBuiltin =
  (what: RegExp): Reads =>
  (words) =>
    (words.includes('builtin') && what.test(words.slice(words.indexOf('builtin')))) || WHOLE.test(words)
export const READS_VERSION = readsBuiltin(/ersion/)
export const READS_REPLICAS = readsBuiltin(/eplicas/)
