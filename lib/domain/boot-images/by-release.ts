import type { HistoryEntry } from '../skew/types'
import { compareVersions, parseVersion } from '../skew/version'

/** What an operator of a release does. `some`: its newer builds do, and no version that Drydock knows tells from which one on. */
export type Does = 'yes' | 'some' | 'no'

/** `some`: first minor release of which any build does it; `all`: of which every one does. No version counts as the newest. */
function from(release: string | null | undefined, some: bigint[], all: bigint[]): Does {
  const minor = (release ? parseVersion(release) : undefined)?.slice(0, 2)
  if (!minor || compareVersions(minor, all) >= 0) return 'yes'
  return compareVersions(minor, some) >= 0 ? 'some' : 'no'
}

/** Whether it leaves a set alone that says no architecture where there are several (getArchFromMachineSet); 4.20: from January 2026 on. */
export const asksForArch = (release: string | null): Does => from(release, [4n, 20n], [4n, 21n])

/** Whether it knows the label of an OS stream (OSStreamLabelKey). */
export const knowsStreams = (release: string | null): boolean => from(release, [4n, 22n], [4n, 22n]) === 'yes'

/** Whether it begins no pass while the cluster is updated (isClusterStable); 4.20 and 4.21: from the end of March 2026 on. */
export const awaitsUpdate = (release: string | null | undefined): Does => from(release, [4n, 20n], [4n, 22n])

/** Whether an update that is under way puts passes off. Of the two releases the operator may be of either. */
export function putsOff(
  history: readonly Pick<HistoryEntry, 'state' | 'version'>[] | undefined,
  release: string | null,
): Does {
  const newest = history?.[0]
  if (newest?.state !== 'Partial') return 'no'
  const [before, after] = [awaitsUpdate(release), awaitsUpdate(newest.version)]
  return before === after ? before : 'some'
}
