import { ago } from '@/components/ui/time-words'
import type { ShellCluster } from '@/lib/services/fleet/get-shell'

type Trouble = Pick<ShellCluster, 'lastHeardAt' | 'away' | 'trouble'>

/** A worker that comes back writes what it hears for moments before it follows the cluster again. */
const COMES_BACK_MS = 10_000

/** How old what is shown of a cluster is, and why. */
export function troubleWords({ lastHeardAt, away, trouble }: Trouble, now: number): string {
  if (lastHeardAt === null) return `not heard yet, ${trouble}`
  const isBack = now - Date.parse(lastHeardAt) < COMES_BACK_MS
  if (isBack && away?.since && away.since < lastHeardAt) return `${trouble}`
  return `last heard ${ago(new Date(lastHeardAt), now)}, ${trouble}`
}

/** That of the scope or of the page, by its name or id, before the others: the line has no room for all. */
export function foremost<C extends Pick<ShellCluster, 'id' | 'name'>>(
  clusters: readonly C[],
  here: readonly (string | null | undefined)[],
): C[] {
  const isHere = ({ id, name }: C) => here.includes(id) || here.includes(name)
  return [...clusters.filter(isHere), ...clusters.filter((cluster) => !isHere(cluster))]
}
