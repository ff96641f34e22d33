import type { Tx } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { may, ROLES } from '../context'
import { calendarOf, neverOpen, neverOpens } from './previewed-times'
import { shortLived } from './short-lived'

/** What policies are held against, for many of them: each is read once, and only where one asks. */
export interface There {
  /** How many people may give approvals, by the accounts of now. */
  people: () => Promise<number>
  /** The labels of all workload clusters: the values of each key. */
  labels: () => Promise<ReadonlyMap<string, string[]>>
  updaters: () => Promise<ReadonlySet<string>>
  /** Whether by its own windows and freezes no machine may move within a year. */
  neverOpens: (draft: Policy) => boolean
  neverOpen: ReturnType<typeof neverOpen>
  shortLived: ReturnType<typeof shortLived>
}

export function whatIsThere(tx: Tx): There {
  const never = neverOpens()
  return {
    people: once(() => peopleIn(tx)),
    labels: once(() => labelsIn(tx)),
    updaters: once(() => updatersIn(tx)),
    neverOpens: (draft) => never(calendarOf(draft)),
    neverOpen: neverOpen(never),
    shortLived: shortLived(Date.now()),
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => (answer ??= read())
}

function peopleIn(tx: Tx): Promise<number> {
  const role = { in: ROLES.filter((one) => may(one, 'changes:approve')) }
  return tx.user.count({ where: { disabledAt: null, role } })
}

async function labelsIn(tx: Tx): Promise<ReadonlyMap<string, string[]>> {
  const rows = await tx.$queryRaw<{ key: string; values: string[] }[]>`
    SELECT key, array_agg(DISTINCT value ORDER BY value) AS values FROM workload_cluster,
      jsonb_each_text(CASE WHEN jsonb_typeof(labels) = 'object' THEN labels ELSE '{}' END) GROUP BY key ORDER BY key`
  return new Map(rows.map(({ key, values }) => [key, values]))
}

async function updatersIn(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await tx.updater.findMany({ select: { name: true } })
  return new Set(rows.map(({ name }) => name))
}
