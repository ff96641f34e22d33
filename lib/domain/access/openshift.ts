import type { MissingPermission } from '../capabilities'
import { NOT_PAUSED } from '../latch/pool-words'
import { NEEDS } from './permissions'

const ROLES = [
  { part: 'openshift', words: 'The read role for OpenShift (deploy/rbac-openshift.yaml)' },
  { part: 'openshift-write', words: 'The write role for OpenShift (deploy/rbac-openshift-write.yaml)' },
  { part: 'openshift-latch', words: 'The role for the latch of pools (deploy/rbac-openshift-latch.yaml)' },
] as const

/**
 * Which of the roles for OpenShift is missing, wholly or in part, and what then does not work: a sentence each. Half
 * permissions have one of their own, since the API server's words for them lead astray.
 */
export function openShiftAccess(missing: readonly MissingPermission[]): string[] {
  return [
    ...ROLES.flatMap(({ part, words }) => {
      const lacking = missing.filter((m) => m.part === part)
      if (lacking.length === 0) return []
      const whole = lacking.length === questions(part)
      return [`${words} is ${whole ? 'not granted' : 'granted in part'}: Drydock is not able ${whys(lacking)}.`]
    }),
    ...missing.filter((m) => m.statusOnly).map(statusWords),
    ...missing.filter((m) => m.part === 'openshift' && m.verb === 'get' && mayPatch(m, missing)).map(unreadWords),
  ]
}

/** Of how pools are held, before somebody chooses it: whether that could be done. `mayPause`: Drydock may patch them. */
export function poolLatchWords(missing: readonly MissingPermission[], mayPause: boolean): string {
  const pausing = mayPause
    ? 'Pools are held by pausing, as long as nobody chooses to latch them in the same write.'
    : `${NOT_PAUSED} They may be latched in the same write.`
  const there = latchRoleWords(missing) ?? 'The permissions for that latch are there.'
  return [pausing, there, ...(mayPause ? [] : [WRITE_ROLE_TOO])].join(' ')
}

/** Of the role for the latch of pools, by what is missing of it; null: nothing is. */
export function latchRoleWords(missing: readonly MissingPermission[]): string | null {
  if (missing.length === 0) return null
  const granted = missing.length === questions('openshift-latch') ? 'not granted' : 'granted in part'
  return `That latch needs a role of its own (deploy/rbac-openshift-latch.yaml), which is ${granted}: Drydock is not able ${whys(missing)}.`
}

export const WRITE_ROLE_TOO =
  'Letting go what is latched takes the write role as well (deploy/rbac-openshift-write.yaml): Drydock may not patch pools.'

export const nameOf = ({ group, resource }: Pick<MissingPermission, 'group' | 'resource'>): string =>
  [resource, group].filter(Boolean).join('.')

/** Status may be changed, the object itself may not. */
export const statusWords = (m: Pick<MissingPermission, 'group' | 'resource'>): string =>
  `Drydock may change the status of ${nameOf(m)} but not the objects: to RBAC ${m.resource}/status is another resource, and what people decide is written to the object. Grant patch on ${m.resource} itself.`

/** The object may be changed, and cannot be read. */
export const unreadWords = (m: Pick<MissingPermission, 'group' | 'resource'>): string =>
  `Drydock may change ${nameOf(m)} but not read them. It changes nothing that it cannot read first: grant get, list and watch as well.`

const questions = (part: string): number =>
  NEEDS.filter((need) => need.part === part).reduce((n, need) => n + need.resources.length * need.verbs.length, 0)

const whys = (missing: readonly MissingPermission[]): string => [...new Set(missing.map((m) => m.why))].join(', nor ')

const mayPatch = ({ group, resource, name }: MissingPermission, missing: readonly MissingPermission[]): boolean =>
  NEEDS.some(
    (need) =>
      need.part === 'openshift-write' &&
      need.group === group &&
      need.resources.includes(resource) &&
      (!name || !need.names || need.names.includes(name)),
  ) && !missing.some((m) => m.part === 'openshift-write' && m.group === group && m.resource === resource)
