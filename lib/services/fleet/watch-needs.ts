import type { ShellCluster } from '@/lib/db/queries/shell'
import type { Need } from './needs-you'

const MOST_NAMED = 3

/** What is shown of these clusters may be old. One cause is one row: a worker that is away follows none of them. */
export function watchNeeds(troubled: readonly ShellCluster[], all: readonly ShellCluster[]): Need[] {
  const away = troubled.filter((c) => c.away)
  const others = troubled.filter((c) => !c.away)
  if (away.length < 2) return troubled.map(one)
  const none = all.every((c) => c.away || c.disconnected)
  // Some may have been unreachable before: the one that was heard last tells since when no worker follows them.
  const heard = away.map((c) => c.lastHeardAt).filter((at) => at !== null)
  return [
    {
      ...{ kind: 'watch', id: 'no-worker', hull: null, held: false, since: heard.sort().at(-1) ?? null },
      where: namesOf(away.map((c) => c.name)),
      sentence: none ? `No worker runs (${away.length} clusters)` : `No worker follows ${away.length} clusters`,
      detail: 'What is shown of them may be old. What is held stays held, and nothing is let go.',
      action: { label: 'See the clusters', href: '/clusters' },
    },
    ...others.map(one),
  ]
}

const one = (c: ShellCluster): Need => ({
  ...{ kind: 'watch', id: c.id, where: c.name, hull: null, held: false, since: c.lastHeardAt },
  sentence: `What is shown of it may be old: ${c.trouble}.`,
  detail: 'What is held stays held.',
  action: { label: 'See the connection', href: `/clusters/${c.id}` },
})

function namesOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
