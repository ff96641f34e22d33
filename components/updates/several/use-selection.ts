'use client'

import { useState } from 'react'
import { between, choose, reconcile, type Chosen, type Listing } from './selection'

interface State {
  /** The list that it belongs to: another tab, filter or scope begins anew. */
  list: string
  chosen: readonly Chosen[]
  /** Names of those that did not wait any more as they were chosen. */
  dropped: readonly string[]
  /** The row from which Shift chooses on. */
  from: string | null
}

export interface Selection {
  chosen: readonly Chosen[]
  dropped: readonly string[]
  has(id: string): boolean
  /** `far`: all rows from the last one to this one. */
  set(id: string, on: boolean, far: boolean): void
  setAll(on: boolean): void
  remove(ids: readonly string[]): void
  clear(): void
}

/** What is chosen of a list that changes by itself. `still`: nothing drops out, for somebody is deciding on it right now. */
export function useSelection(list: string, listing: Listing | null, still: boolean): Selection {
  const nothing: State = { list, chosen: [], dropped: [], from: null }
  const [kept, setKept] = useState<State>(nothing)
  const state = kept.list === list ? kept : nothing
  if (listing && !still && state.chosen.length > 0) {
    const { kept: chosen, dropped } = reconcile(state.chosen, listing)
    if (dropped.length > 0)
      setKept({ ...state, chosen, dropped: [...state.dropped, ...dropped.map(({ name }) => name)] })
  }
  const put = (chosen: readonly Chosen[], from: string | null = state.from) =>
    setKept({ list, chosen, dropped: [], from })
  return {
    chosen: state.chosen,
    dropped: state.dropped,
    has: (id) => state.chosen.some((one) => one.id === id),
    set: (id, on, far) =>
      listing && put(choose(state.chosen, listing, between(listing.rows, far ? state.from : null, id), on), id),
    setAll: (on) => listing && put(choose(state.chosen, listing, listing.rows, on)),
    remove: (ids) =>
      setKept((was) => ({ ...was, chosen: was.chosen.filter(({ id }) => !ids.includes(id)), dropped: [] })),
    clear: () => put([], null),
  }
}
