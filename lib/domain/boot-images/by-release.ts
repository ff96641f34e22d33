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
export const asksForArch = (release: string | null | undefined): Does => from(release, [4n, 20n], [4n, 21n])

/** Whether it knows the label of an OS stream (OSStreamLabelKey). */
export const knowsStreams = (release: string | null | undefined): Does => from(release, [4n, 22n], [4n, 22n])

/** Whether it begins no pass while the cluster is updated (isClusterStable); 4.20 and 4.21: from the end of March 2026 on. */
export const awaitsUpdate = (release: string | null | undefined): Does => from(release, [4n, 20n], [4n, 22n])

type History = readonly Pick<HistoryEntry, 'state' | 'version'>[]

/** What the operator of a cluster does: while that is updated it may be of the release before, or of the one to come. */
export function eitherDoes(
  does: (release: string | null | undefined) => Does,
  history: History,
  release: string | null,
): Does {
  const completed = history.findIndex(({ state }) => state === 'Completed')
  const begun = history.slice(0, completed < 0 ? undefined : completed)
  const all = new Set([release, ...begun.map(({ version }) => version)].map(does))
  return all.size === 1 ? does(release) : 'some'
}

/** Whether an update that is under way puts passes off. */
export const putsOff = (history: History = [], release: string | null): Does =>
  history[0]?.state === 'Partial' ? eitherDoes(awaitsUpdate, history, release) : 'no'
