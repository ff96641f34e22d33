import { db } from '@/lib/db/client'
import { kinds } from '../openshift/kinds'
import { wasHeldAgain } from '../changes/change-row'
import { endedOf, type Ended } from '../changes/ended'
import { approvalOf, fateOf, type ApprovalFate } from './approval-fate'
import type { AuditRow } from './filter'
import { FATE, openShiftFate, type OpenShiftFate } from './openshift-fate'

/** What the database knows today about what an event names; the event itself is never rewritten. */
export interface AuditKnown {
  /** Of a change: what it changes, and where. */
  summary: string | null
  workloadCluster: string | null
  /** Of an event about a decision: what became of it. */
  decision: {
    id: string
    mode: 'in-place' | 'replace' | 'reject'
    state: string
    error: string | null
    sentAt: string | null
    acceptedAt: string | null
    heldAgain?: boolean
    change: { state: string; newestDecision: string | null; ended: Ended | null; dueMode: string | null }
  } | null
  /** Of an approval that was given, and by which nothing went: what became of it. */
  fell: { fate: ApprovalFate; change: { state: string; ended: Ended | null } } | null
  /** Of a decision on a boot image: the version that was acknowledged. */
  version: string | null
  /** Of an event about a decision on OpenShift: what became of it. */
  openShift: OpenShiftFate | null
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const idsOf = (rows: AuditRow[], of: (row: AuditRow) => unknown): string[] => [
  ...new Set(rows.map(of).filter((id): id is string => typeof id === 'string' && UUID.test(id))),
]
const isChange = ({ action }: AuditRow): boolean => /^(approval|change|decision|remediation)\./.test(action)
const isGiven = ({ action }: AuditRow): boolean => action === 'approval.given'
const isOpenShift = ({ action }: AuditRow): boolean => AUDITS.has(action.slice(0, action.indexOf('.')))
const AUDITS = new Set([...kinds.values()].map((kind) => kind.audit))

/** By the event's id; nothing for events that name nothing which is still there. */
export async function knownOf(rows: AuditRow[]): Promise<Record<string, AuditKnown>> {
  const changeIds = idsOf(rows.filter(isChange), (row) => row.target.id)
  const actionIds = idsOf(rows.filter(isOpenShift), (row) => row.target.id)
  const [changes, actions] = await Promise.all([
    changeIds.length > 0
      ? db().change.findMany({
          where: { id: { in: changeIds } },
          select: {
            ...{ id: true, clusterId: true, groupId: true, detectedAt: true, finishedAt: true },
            ...{ summary: true, workloadCluster: true, state: true, dueMode: true },
            decisions: { orderBy: { recordedAt: 'asc' }, omit: { calls: true, pairs: true } },
          },
        })
      : [],
    actionIds.length > 0
      ? db().openShiftAction.findMany({
          where: { id: { in: actionIds } },
          select: { id: true, version: true, ...FATE },
        })
      : [],
  ])
  const gave = idsOf(rows.filter(isGiven), (row) => row.target.id)
  const [ended, approvals] = await Promise.all([
    endedOf(changes),
    gave.length > 0 ? db().approval.findMany({ where: { changeId: { in: gave } } }) : [],
  ])
  const changeOf = new Map(changes.map((change) => [change.id, change]))
  const actionOf = new Map(actions.map((action) => [action.id, action]))
  const known: Record<string, AuditKnown> = {}
  for (const row of rows) {
    const change = isChange(row) ? changeOf.get(row.target.id) : undefined
    const action = isOpenShift(row) ? actionOf.get(row.target.id) : undefined
    const decision = change?.decisions.find(({ id }) => id === row.details.decision)
    if (!change && !action) continue
    const approval =
      change && isGiven(row)
        ? approvalOf(
            approvals.filter(({ changeId }) => changeId === change.id),
            row,
          )
        : null
    const fate = change && approval && fateOf(approval, change)
    known[row.id] = {
      summary: change?.summary ?? null,
      workloadCluster: change?.workloadCluster ?? null,
      decision:
        change && decision
          ? {
              id: decision.id,
              mode: decision.mode as NonNullable<AuditKnown['decision']>['mode'],
              state: decision.state,
              error: decision.error,
              sentAt: decision.sentAt?.toISOString() ?? null,
              acceptedAt: decision.acceptedAt?.toISOString() ?? null,
              heldAgain: wasHeldAgain(decision),
              change: {
                state: change.state,
                newestDecision: change.decisions.at(-1)?.id ?? null,
                ended: ended[change.id] ?? null,
                dueMode: change.dueMode,
              },
            }
          : null,
      fell: change && fate ? { fate, change: { state: change.state, ended: ended[change.id] ?? null } } : null,
      version: action?.version ?? null,
      openShift: action ? openShiftFate(action) : null,
    }
  }
  return known
}
