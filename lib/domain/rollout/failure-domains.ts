/** What choosing between failure domains needs of a control plane machine. */
export interface Placed {
  name: string
  createdAt: number
  /** As in its spec; absent: none. */
  failureDomain?: string
  upToDate: boolean
  deleting?: boolean
}

/**
 * Which of the candidates a control plane takes next: the oldest of those outside the domains for control planes that the
 * Cluster lists; else the oldest in the domain with the most candidates, of several such in that with the most machines
 * (FailureDomainWithMostMachines, failuredomains.PickMost). Between domains with as many of both it is chance upstream:
 * here the oldest of them all.
 */
export function nextOf<M extends Placed>(
  candidates: readonly M[],
  all: readonly Placed[],
  domains: readonly string[] = domainsOf(all),
): M | undefined {
  const listed = new Set<string | undefined>(domains)
  const outside = candidates.filter(({ failureDomain }) => !listed.has(failureDomain))
  if (outside.length > 0) return oldest(outside)
  const first = most(domains, (a, b) => size(candidates, a) - size(candidates, b) || size(all, a) - size(all, b))
  return oldest(candidates.filter(({ failureDomain }) => first.has(failureDomain)))
}

/**
 * Where it puts a new machine: the domain with the fewest machines that are up to date and not going, of several such that
 * with the fewest machines (failuredomains.PickFewest). What is left is chance upstream: here the first listed.
 */
export function domainForNew(all: readonly Placed[], domains: readonly string[] = domainsOf(all)): string | undefined {
  const staying = all.filter((m) => m.upToDate && !m.deleting)
  const [first] = most(domains, (a, b) => size(staying, b) - size(staying, a) || size(all, b) - size(all, a))
  return first
}

/** Where the Cluster's are not known: those that have machines. */
const domainsOf = (all: readonly Placed[]): string[] => [
  ...new Set(all.flatMap(({ failureDomain }) => failureDomain ?? [])),
]

const size = (machines: readonly Placed[], domain: string): number =>
  machines.reduce((n, m) => n + (m.failureDomain === domain ? 1 : 0), 0)

/** All that nothing comes before, as listed. */
function most(domains: readonly string[], compare: (a: string, b: string) => number): Set<string | undefined> {
  return new Set(domains.filter((domain) => domains.every((other) => compare(other, domain) <= 0)))
}

const oldest = <M extends Placed>(machines: readonly M[]): M | undefined =>
  [...machines].sort((a, b) => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1))[0]
