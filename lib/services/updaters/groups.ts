import * as z from 'zod'
import { ServiceError } from '../errors'

export const GROUP_KINDS = ['MachineDeployment', 'KubeadmControlPlane'] as const

/** What decides whether an updater is for a group. */
export interface GroupIdentity {
  kind: string
  namespace: string
  workloadCluster: string
}

const names = (what: string) =>
  z
    .array(
      z
        .string()
        .trim()
        .regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, `This is not the name of a ${what}.`),
    )
    .max(100, `At most 100 names of a ${what}.`)
    .optional()

/** Which groups an updater is for: where one is absent or empty it does not restrict; a group must fit all that do. */
export const GroupsInput = z.strictObject({
  namespaces: names('namespace'),
  kinds: z.array(z.enum(GROUP_KINDS, 'A group is a MachineDeployment or a KubeadmControlPlane.')).optional(),
  workloadClusters: names('workload cluster'),
})
export type UpdaterGroups = z.infer<typeof GroupsInput>

/** As it is stored: without what does not restrict; null: for all groups. */
export function storedGroups(groups: UpdaterGroups | null | undefined): UpdaterGroups | null {
  const entries = Object.entries(groups ?? {}).flatMap(([key, list]): [string, string[]][] =>
    list && list.length > 0 ? [[key, [...new Set(list)].sort()]] : [],
  )
  return entries.length > 0 ? (Object.fromEntries(entries) as UpdaterGroups) : null
}

/** The selection of a row, for those who show it. One that cannot be read is neither all nor none. */
export function readGroups(row: { groups: unknown }): UpdaterGroups | null | 'unreadable' {
  if (row.groups === null) return null
  const parsed = GroupsInput.safeParse(row.groups)
  return parsed.success ? storedGroups(parsed.data) : 'unreadable'
}

/** Which updater's selection could not be read: what somebody chose is not known, so nothing is decided by it. */
export class UnreadableGroups extends ServiceError {
  constructor(name: string) {
    super('conflict', `Which groups the updater ${name} is for cannot be read.`, {
      hint: 'Its row in the database was changed by something else than Drydock. Edit or remove it on the page Updaters.',
    })
  }
}

/** The selection of a row, for those who decide by it. */
export function groupsOf(row: { name: string; groups: unknown }): UpdaterGroups | null {
  const groups = readGroups(row)
  if (groups === 'unreadable') throw new UnreadableGroups(row.name)
  return groups
}

export function isFor(groups: UpdaterGroups | null, group: GroupIdentity): boolean {
  const fits = (list: readonly string[] | undefined, value: string) => !list?.length || list.includes(value)
  if (groups === null) return true
  return (
    fits(groups.namespaces, group.namespace) &&
    fits(groups.kinds, group.kind) &&
    fits(groups.workloadClusters, group.workloadCluster)
  )
}
