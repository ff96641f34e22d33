import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { fateWords, REMEDIATE } from '@/lib/domain/health-checks'
import { versionKey } from '@/lib/domain/version'
import { changeSetOf, OVER, type ChangeDto } from '../changes/change-row'
import { measured } from '../forecast/durations'
import { checksOf, type CheckView } from './checks'
import { formerSkips, type FormerSkips } from './former'
import { foundBefore, type FoundBefore } from './found-before'
import { cannotSkip } from './may-patch'
import { soonOf, type Soon } from './soon'
import { tookBefore } from './took'

export type { CheckView } from './checks'

export interface RemediationView {
  checks: CheckView[]
  /** Not well now, and not found ill yet: who is found ill first comes first. `keptHeld`: it is remediated only once its group is not held. */
  soon: Soon[]
  /** Beside those. */
  soonMore: number
  keptHeld: boolean
  /** What the check of time-outs rests on: updates that were measured, where, and how long they took. */
  updates: { measured: number; from: 'group' | 'cluster' | 'guess'; longest: number }
  /** Found ill by now, and what becomes of it. `inUpdate`: in the middle of its update in this change, or after it; lost: it was updated, and goes. */
  ill: { name: string; words: string; fate: string; marked: boolean; inUpdate?: 'lost' | 'still' }[]
  /** Those that were found ill, or marked by somebody, in the middle of their update in this change, or after it, and are gone, or well again; `waited`: before it. */
  were: { name: string; updated: boolean; remediated: boolean; marked: boolean; waited?: boolean }[]
  /** The same in updates of this group before; null: none was. */
  before: FoundBefore | null
  /**
   * Of all that were found ill, those that no limit of failures counts: what failed was accepted since; or they were gone, or well
   * again, when no policy counted yet.
   */
  uncounted: { accepted: number; before: number }
  /** Who has remediation skipped; null: nobody, or nobody any more. */
  skips: { by: string; at: string } | null
  /** For how many machines it is skipped for this change now, also where it is over. */
  now: number
  /** Skipped for changes of its group that came before it. */
  former: FormerSkips[]
  /** The API server's words, where it refused to have that written. */
  refused: string | null
  /** Of its machines, those that somebody else has skipped. */
  others: number
  /** Why Drydock cannot; null: it can. */
  cannot: string | null
}

const NOTHING = {
  checks: [],
  soon: [],
  soonMore: 0,
  keptHeld: false,
  updates: { measured: 0, from: 'guess' as const, longest: 0 },
  ill: [],
  were: [],
  before: null,
  uncounted: { accepted: 0, before: 0 },
  others: 0,
  former: [],
}

/** What MachineHealthChecks have to do with a change that is, or may be, done in place; null: nothing, or it is over. */
export async function remediationOf(change: ChangeDto): Promise<RemediationView | null> {
  const { clusterId, id } = change
  const [now, row, cluster] = await Promise.all([
    db().machine.count({ where: { clusterId, skipMark: id } }),
    db().change.findUnique({ where: { id }, select: { skipsRefused: true, changeSet: true, failuresFrom: true } }),
    db().managementCluster.findUnique({ where: { id: clusterId }, select: { discovery: true } }),
  ])
  const discovery = cluster?.discovery as Capabilities | null
  const found = row && isInPlace(change) ? await aboutIt(change, row, discovery) : null
  if (!found && now === 0) return null
  const cannot = cannotSkip(cluster?.discovery)
  return { ...(found ?? NOTHING), skips: change.skips, now, refused: row?.skipsRefused ?? null, cannot }
}

function isInPlace({ state, decision, dueMode, outlook, skips }: ChangeDto): boolean {
  if (OVER.includes(state)) return false
  const mode = decision && !['voided', 'failed'].includes(decision.state) ? decision.mode : dueMode
  return mode === 'in-place' || (mode !== 'replace' && (outlook.inPlace !== null || skips !== null))
}

async function aboutIt(
  change: ChangeDto,
  row: Pick<Change, 'changeSet' | 'failuresFrom'>,
  discovery: Capabilities | null,
) {
  const { clusterId, groupId, groupKind, groupName, namespace, workloadCluster } = change
  const [took, own] = await Promise.all([
    measured({ clusterId, groupId, groupKind, version: change.toVersion !== null }),
    tookBefore(change, changeSetOf(row)),
  ])
  const updates = { ms: took.durations.update, measured: took.basis.update.machines, own }
  const [{ checks, others }, former, group, ill, found] = await Promise.all([
    checksOf(change, updates),
    formerSkips(change),
    db().group.findUnique({ where: { id: groupId }, select: { held: true } }),
    db().machine.findMany({
      where: { clusterId, groupKind, namespace, groupName, workloadCluster, checkFailedSince: { not: null } },
      orderBy: { name: 'asc' },
      take: 50,
    }),
    db().machineProgress.findMany({
      where: { changeId: change.id, illAt: { not: null } },
      orderBy: { illAt: 'asc' },
      select: { machineName: true, state: true, illBy: true, startedAt: true, throughAt: true, failedAt: true },
    }),
  ])
  const [before, ahead] = await Promise.all([foundBefore(change, checks), soonOf(change, checks)])
  const now = new Set(ill.map(({ name }) => name))
  const were = found.filter(({ machineName }) => !now.has(machineName))
  const begun = new Map(found.filter(({ startedAt }) => startedAt !== null).map((one) => [one.machineName, one]))
  const { failuresFrom: from } = row
  const external = checks.find((check) => check.external)?.external ?? null
  const deletesInstead = since114(discovery?.clusterApi?.version ?? null)
  const about = { held: (group?.held ?? null) !== null, external, deletesInstead }
  return {
    ...{ checks, others, before, former, ...ahead, keptHeld: about.held && groupKind === 'KubeadmControlPlane' },
    were: were.map(({ machineName: name, state, startedAt, throughAt, illBy }) => {
      const remediated = state === 'deleting' || state === 'deleted'
      const waited = startedAt === null ? { waited: true } : {}
      return { name, updated: throughAt !== null, remediated, marked: illBy === REMEDIATE, ...waited }
    }),
    uncounted: {
      accepted: found.filter(({ failedAt }) => from && failedAt && failedAt <= from).length,
      before: were.filter(({ failedAt, startedAt }) => startedAt && !failedAt).length,
    },
    updates: { measured: updates.measured, from: took.basis.update.from, longest: Math.max(...updates.ms) },
    ill: ill.map(({ name, checkWords, remediationReason, remediationWords, deleting, skipRemediation }) => {
      const is = { reason: remediationReason, words: remediationWords, deleting, skipped: skipRemediation }
      const [marked, fate] = [checkWords?.includes(REMEDIATE) ?? false, fateWords({ kind: groupKind, ...is }, about)]
      const one = begun.get(name)
      const inUpdate = one?.state === 'deleting' && one.throughAt !== null ? ('lost' as const) : ('still' as const)
      return { name, words: checkWords ?? '', fate, marked, ...(one ? { inUpdate } : {}) }
    }),
  }
}

/** Since v1.14 a machine that is to be remediated is deleted instead of moved (machineset_controller.go, startMoveMachines). */
function since114(version: string | null): boolean | null {
  const key = versionKey(version)
  return key === null ? null : key >= versionKey('v1.14.0')!
}
