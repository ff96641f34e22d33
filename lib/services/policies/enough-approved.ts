import type { Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { authorship, standingOf, whyNotThisWay, type Approval, type Resolved } from '@/lib/domain/policies'
import { approvalsWhere, unseenBy } from '../changes/approvals'
import { outlookIn } from '../changes/change-row'
import { authorsOf } from './author'

type Due = Pick<Change, 'id' | 'fingerprint' | 'author' | 'dueMode' | 'outlook' | 'groupKind'>

/** Of changes that are approved and wait for their time: those that could go by these rules, as they are approved. */
export async function enoughApproved(
  tx: Tx,
  now: Date,
  asked: readonly { change: Due; rules: Resolved }[],
): Promise<Set<string>> {
  if (asked.length === 0) return new Set()
  const rows = await approvalsWhere(tx, { changeId: { in: asked.map(({ change }) => change.id) } })
  const authors = await authorsOf(
    tx,
    asked.map(({ change }) => change.author),
  )
  const byChange = new Map<string, typeof rows>()
  for (const row of rows) byChange.set(row.changeId, [...(byChange.get(row.changeId) ?? []), row])
  const enough = asked.filter(({ change, rules }) => {
    const mode = change.dueMode as Approval['mode']
    const outlook = outlookIn(change)
    const given = (byChange.get(change.id) ?? []).filter(
      (row) => row.fingerprint === change.fingerprint && unseenBy(row, { ...change, outlook }) === null,
    )
    const author = authors.get(change.author) ?? authorship(null, [])
    const { missing } = standingOf(given, mode, rules, author, now)
    return missing === 0 && whyNotThisWay(mode, rules, outlook) === null
  })
  return new Set(enough.map(({ change }) => change.id))
}
