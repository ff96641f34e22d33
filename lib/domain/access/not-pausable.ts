import type { Capabilities } from '../capabilities'
import { ALL_LATCHED } from '../latch/table'

type Found = Partial<Pick<Capabilities, 'missingPermissions' | 'resources'>>

/** Kinds of groups that are served and that Drydock may not pause: by the permissions that are missing, it may not patch them. */
export function notPausableKinds({ missingPermissions = [], resources = {} }: Found): string[] {
  const lacks = (group: string, plural: string) =>
    missingPermissions.some(
      ({ verb, name, namespace, ...of }) =>
        verb === 'patch' && of.group === group && of.resource === plural && !name && !namespace,
    )
  return ALL_LATCHED.filter(({ group, plural }) => `${plural}.${group}` in resources && lacks(group, plural)).map(
    ({ kind }) => kind,
  )
}
