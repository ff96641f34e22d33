import type { MissingPermission } from '../capabilities'
import type { Need } from './permissions'

export type Purpose = 'read' | 'act' | 'hold'

/** What a part of the table is for, and the manifest that grants it. */
const PARTS: Record<Need['part'], { purpose: Purpose; manifest: string }> = {
  'cluster-api': { purpose: 'read', manifest: 'deploy/rbac.yaml' },
  latch: { purpose: 'hold', manifest: 'deploy/rbac.yaml' },
  gate: { purpose: 'hold', manifest: 'deploy/rbac.yaml' },
  plan: { purpose: 'act', manifest: 'deploy/rbac-plan.yaml' },
  openshift: { purpose: 'read', manifest: 'deploy/rbac-openshift.yaml' },
  'openshift-write': { purpose: 'act', manifest: 'deploy/rbac-openshift-write.yaml' },
  'openshift-latch': { purpose: 'hold', manifest: 'deploy/rbac-openshift-latch.yaml' },
}
const ORDER: Purpose[] = ['read', 'act', 'hold']
const READING = ['get', 'list', 'watch']

/** One line of a group: all verbs that one object, or kind, lacks for one thing. */
export interface MissingLine extends Pick<MissingPermission, 'group' | 'resource' | 'name' | 'namespace' | 'why'> {
  verbs: string[]
}

export interface MissingGroup {
  purpose: Purpose
  /** null: of what earlier versions of Drydock found it is not known. */
  manifest: string | null
  lines: MissingLine[]
}

/** Missing permissions by what they are for, and by the manifest that grants them: what Drydock reads by first. */
export function missingGroups(missing: readonly MissingPermission[]): MissingGroup[] {
  const groups = new Map<string, MissingGroup>()
  for (const { part, verb, ...one } of missing) {
    const { purpose, manifest } = part
      ? PARTS[part]
      : { purpose: READING.includes(verb) ? ('read' as const) : ('act' as const), manifest: null }
    const key = `${purpose} ${manifest}`
    const group = groups.get(key) ?? { purpose, manifest, lines: [] }
    groups.set(key, group)
    const { resource, name, namespace, why } = one
    const same = (line: MissingLine) =>
      line.group === one.group && line.resource === resource && line.name === name && line.namespace === namespace
    const line = group.lines.find((found) => same(found) && found.why === why)
    if (line) line.verbs.push(verb)
    else
      group.lines.push({
        ...{ group: one.group, resource, why, verbs: [verb] },
        ...(name ? { name } : {}),
        ...(namespace ? { namespace } : {}),
      })
  }
  return [...groups.values()].sort((a, b) => ORDER.indexOf(a.purpose) - ORDER.indexOf(b.purpose))
}
