import { compareVersions, parseVersion } from '../skew/version'

/** How the Cluster Version Operator of a release speaks; read from its branches release-4.14 to release-5.1. */
export interface VersionWords {
  /** "minor versions", from 4.22 on with major ones */
  between: string
  overrides: string
  /** null: that release does not count an update that is under way */
  updating: string | null
}

const UPDATING = 'An update is already in progress and the details are in the Progressing condition'

const ERAS: readonly ({ from: string } & VersionWords)[] = [
  {
    from: '4.0',
    between: 'minor versions',
    overrides:
      'Disabling ownership via cluster version overrides prevents upgrades. Please remove overrides before continuing.',
    updating: null,
  },
  {
    from: '4.19',
    between: 'minor versions',
    overrides:
      'Disabling ownership via cluster version overrides prevents upgrades. Please remove overrides before continuing.',
    updating: UPDATING,
  },
  {
    from: '4.22',
    between: 'minor or major versions',
    overrides:
      'Disabling ownership via cluster version overrides prevents upgrades between minor or major versions. Please remove overrides before requesting a minor or major version update.',
    updating: UPDATING,
  },
  {
    from: '4.23',
    between: 'minor or major versions',
    overrides:
      'Disabling ownership via cluster version overrides prevents updates between minor or major versions. Please remove overrides before requesting a minor or major version update.',
    updating: `${UPDATING}.`,
  },
]

/** What cannot be read counts as new. */
export function wordsOf(desired: string | null): VersionWords {
  const version = desired === null ? undefined : parseVersion(desired)
  const newest = ERAS[ERAS.length - 1] as (typeof ERAS)[number]
  if (!version) return newest
  return ERAS.findLast((era) => compareVersions(parseVersion(era.from)!, version.slice(0, 2)) <= 0) ?? ERAS[0]!
}
