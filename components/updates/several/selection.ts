import { MOST_AT_ONCE } from '@/lib/domain/changes/at-once'
import type { ChangeDto } from '@/lib/services/changes/change-row'

type Row = Pick<ChangeDto, 'id' | 'fingerprint' | 'clusterName' | 'workloadCluster' | 'groupName' | 'detectedAt'> & {
  outlook: Pick<ChangeDto['outlook'], 'replicas' | 'only'>
}

/** A change as it was on the list when somebody chose it: what is decided is this, or nothing. */
export interface Chosen {
  id: string
  fingerprint: string
  replicas: number | undefined
  /** With its clusters: many groups are called the same. */
  name: string
  detectedAt: string
  /** The page of the list that it was chosen on. */
  page: string
  /** It may be replaced: a configuration of a pool replaces no node. */
  replaces: boolean
}

/** One page of the list, as it is now. */
export interface Listing {
  page: string
  rows: readonly Row[]
  /** There are more behind it. */
  more: boolean
}

const chosenOf = ({ id, fingerprint, outlook, detectedAt, ...row }: Row, page: string): Chosen => ({
  ...{ id, fingerprint, replicas: outlook.replicas, detectedAt, page, replaces: outlook.only !== 'in-place' },
  name: [row.clusterName, row.workloadCluster, row.groupName].filter(Boolean).join(' / '),
})

/** With some rows chosen, or not any more; never more than are decided at once. */
export function choose(chosen: readonly Chosen[], { page }: Listing, rows: readonly Row[], on: boolean): Chosen[] {
  const ids = new Set(rows.map(({ id }) => id))
  if (!on) return chosen.filter(({ id }) => !ids.has(id))
  const there = new Set(chosen.map(({ id }) => id))
  const added = rows.filter(({ id }) => !there.has(id)).map((row) => chosenOf(row, page))
  return [...chosen, ...added].slice(0, MOST_AT_ONCE)
}

/** Those that somebody is asked about. `unaskable`: of which nobody decides anything. */
export const asked = <T extends Pick<Row, 'id'>>(rows: readonly T[], unaskable: readonly string[]): T[] =>
  rows.filter(({ id }) => !unaskable.includes(id))

/** Where each can go in place only, replacing is nothing to offer. */
export const mayReplace = (chosen: readonly Chosen[]): boolean => chosen.some(({ replaces }) => replaces)

/** The rows from the one that was chosen last to this one; without the other, this one alone. */
export function between(rows: readonly Row[], from: string | null, to: string): Row[] {
  const [a, b] = [rows.findIndex(({ id }) => id === from), rows.findIndex(({ id }) => id === to)]
  return a < 0 ? rows.filter(({ id }) => id === to) : rows.slice(Math.min(a, b), Math.max(a, b) + 1)
}

/** What still waits as it was chosen, and what does not. What newer changes pushed to the next page, and other pages, stay. */
export function reconcile(
  chosen: readonly Chosen[],
  { page, rows, more }: Listing,
): { kept: readonly Chosen[]; dropped: Chosen[] } {
  const now = new Map(rows.map((row) => [row.id, row]))
  const last = rows.at(-1)
  const stays = (one: Chosen): boolean => {
    const row = now.get(one.id)
    if (row) return row.fingerprint === one.fingerprint
    return one.page !== page || (more && last !== undefined && isBehind(one, last))
  }
  const dropped = chosen.filter((one) => !stays(one))
  return { kept: dropped.length > 0 ? chosen.filter(stays) : chosen, dropped }
}

/** Newest first, as the list is. */
const isBehind = (one: Chosen, last: Row): boolean =>
  one.detectedAt < last.detectedAt || (one.detectedAt === last.detectedAt && one.id < last.id)
