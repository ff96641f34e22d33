import { readdirSync, readFileSync } from 'node:fs'

/** How long all processes that this one started have run on a core so far, in ms: Postgres, the pages. NaN but on Linux. */
export function childrenRan(): number {
  try {
    return descendants()
      .map(ranMs)
      .reduce((sum, ms) => sum + ms, 0)
  } catch {
    return NaN
  }
}

function descendants(): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = text(`/proc/${pid}/stat`)
      return stat ? [[Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0])] as const] : []
    })
  const found = [process.pid]
  for (const parent of found) found.push(...parents.filter(([, p]) => p === parent).map(([pid]) => pid))
  return found.slice(1)
}

function ranMs(pid: number): number {
  let sum = 0
  for (const thread of entries(`/proc/${pid}/task`)) {
    sum += Number(text(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0) / 1e6
  }
  return sum
}

function entries(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return [] // it has ended meanwhile
  }
}

function text(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
