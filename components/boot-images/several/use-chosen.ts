import { useState } from 'react'

export interface ChosenCluster {
  id: string
  name: string
}

/** As many as the server takes at once. */
export const MOST_CLUSTERS = 50

/** Clusters of the list that were chosen; other pages of it keep theirs. */
export interface Chosen {
  chosen: readonly ChosenCluster[]
  has(id: string): boolean
  /** `far`: all rows from the last one to this one. */
  set(id: string, on: boolean, far: boolean): void
  setAll(on: boolean): void
  remove(ids: readonly string[]): void
  clear(): void
}

export function useChosen(rows: readonly ChosenCluster[]): Chosen {
  const [chosen, setChosen] = useState<readonly ChosenCluster[]>([])
  const [from, setFrom] = useState<string | null>(null)
  const put = (some: readonly ChosenCluster[], on: boolean) =>
    setChosen((was) => {
      const others = was.filter(({ id }) => !some.some((one) => one.id === id))
      const added = on ? some.map(({ id, name }) => ({ id, name })) : []
      return [...others, ...added].slice(0, MOST_CLUSTERS)
    })
  const between = (to: string) => {
    const [a, b] = [rows.findIndex(({ id }) => id === from), rows.findIndex(({ id }) => id === to)]
    return a < 0 ? rows.filter(({ id }) => id === to) : rows.slice(Math.min(a, b), Math.max(a, b) + 1)
  }
  return {
    chosen,
    has: (id) => chosen.some((one) => one.id === id),
    set: (id, on, far) => {
      put(far ? between(id) : rows.filter((row) => row.id === id), on)
      setFrom(id)
    },
    setAll: (on) => put(rows, on),
    remove: (ids) => setChosen((was) => was.filter(({ id }) => !ids.includes(id))),
    clear: () => setChosen([]),
  }
}
