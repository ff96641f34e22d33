import type { HistoryEntry } from '../skew/types'
import { compareVersions, parseVersion } from '../skew/version'
import { eitherDoes } from './by-release'

/** What becomes of sets of which only the cloud can tell, as the operator works on that platform. */
export interface CloudOnly {
  /** What the operator makes of them; `sets` in words. */
  does(sets: string): string
  /** When it fails on them, and on those that have the release’s image, too; null: never, or not by this release. */
  failsWhere: string | null
  /** Whether an image of somebody’s own is passed over, which keeps the record down. */
  skipsOwn: boolean
}

const CLOUDS: Readonly<Record<string, CloudOnly>> = {
  AWS: {
    does: (sets) =>
      `Only the operator can tell whose the image of ${sets} is: it replaces one that it recognises, and skips one of your own.`,
    failsWhere: 'it asks EC2 and gets no answer: credentials, a denied call, a deleted image',
    skipsOwn: true,
  },
  VSphere: {
    does: (sets) =>
      `Only vCenter can tell which version the template of ${sets} holds. An outdated one in the workspace’s folder is replaced there under its own name, also one of your own: keep a copy of what you need. One that lies elsewhere stays, and the set is pointed to the operator’s own.`,
    failsWhere: 'vCenter does not let it in (Secret kube-system/vsphere-creds), or the template says no version',
    skipsOwn: false,
  },
}

/** Before 4.23 it asks nobody on AWS: it has a list of the images that it recognises. */
export const asksEc2 = (release: string | null): boolean => {
  const version = release ? parseVersion(release) : undefined
  return !version || compareVersions(version, [4n, 23n]) >= 0
}

/** Null: nothing is left to a cloud on this platform. While the cluster is updated, of either release: what may fail is said. */
export function cloudOnly(
  platform: string,
  release: string | null,
  history: readonly HistoryEntry[] = [],
): CloudOnly | null {
  const cloud = Object.hasOwn(CLOUDS, platform) ? CLOUDS[platform]! : null
  const asks = eitherDoes((of) => (asksEc2(of ?? null) ? 'yes' : 'no'), history, release)
  return cloud && platform === 'AWS' && asks === 'no' ? { ...cloud, failsWhere: null } : cloud
}
