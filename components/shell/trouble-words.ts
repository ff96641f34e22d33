import { ago } from '@/components/ui/time-words'
import type { ShellCluster } from '@/lib/services/fleet/get-shell'

type Trouble = Pick<ShellCluster, 'lastHeardAt' | 'away' | 'trouble'>

/** How old what is shown of a cluster is, and why. A worker that comes back writes what it hears before it follows the cluster again. */
export function troubleWords({ lastHeardAt, away, trouble }: Trouble, now: number): string {
  if (lastHeardAt === null) return `not heard yet, ${trouble}`
  if (away?.since && away.since < lastHeardAt) return `${trouble}`
  return `last heard ${ago(new Date(lastHeardAt), now)}, ${trouble}`
}
