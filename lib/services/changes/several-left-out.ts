import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import { outlookIn, type DecisionMode } from './change-row'
import { anotherNow, coverable, editedSince, isUndecided, tooLate, whyNoWay } from './decidable'
import { cannotLetGo } from './cannot-let-go'
import { deletionsIn, unseenAtOnce } from './approvals'
import { fewerWanted, itsAuthor, moreAtOnce, moreDeleted } from './give-approval'
import { listedStanding } from './listed-standing'
import { asksNobodyHere } from './nobody-decides'
import type { Facts } from './several-facts'
import { nameToType } from './typed-name'

interface Looked {
  fingerprint: string
  replicas?: number | undefined
  deletions?: number | undefined
  maxUnavailable?: string | undefined
  configs?: string | null | undefined
}

/**
 * Why a change is not decided together with others: what its verb would say no to, as far as the read model knows; what needs
 * its name typed; and what this person, or enough of them, have approved so already. Null: it is.
 */
export function whyLeftOut(
  ctx: Ctx,
  mode: DecisionMode,
  looked: Looked,
  facts: Facts | undefined,
): ServiceError | null {
  if (!facts) return new ServiceError('not-found', 'There is no such change.')
  const { change, approved } = facts
  const rejected = mode === 'reject' && change.state === 'rejected'
  if (!isUndecided(change) || (rejected && !approved))
    return rejected ? new ServiceError('conflict', 'It is rejected already.') : tooLate(change.state)
  if (change.fingerprint !== looked.fingerprint) return anotherNow()
  if (editedSince(change, { mode, configs: looked.configs })) return anotherNow()
  if (facts.nobodyDecides) return asksNobodyHere()
  if (mode === 'reject') return null
  return (
    neitherWay(mode, facts) ??
    whyNoWay(change, { mode }) ??
    fewer(looked, facts) ??
    deletions(mode, looked, facts) ??
    atOnce(looked, facts) ??
    byPolicy(ctx, mode, facts) ??
    given(mode, facts) ??
    notToLetGo(facts) ??
    typed(mode, facts)
  )
}

/** Not in place, and by its policy not otherwise: whoever reads that is sent to no button that says no, too. */
function neitherWay(mode: DecisionMode, { change, standing }: Facts): ServiceError | null {
  const { inPlace, only } = outlookIn(change)
  if (mode !== 'in-place' || inPlace !== null || only || standing instanceof ServiceError) return null
  const { forbidden } = standing.ways.replace
  const covered = coverable(change) ? ', write it so that an updater covers it' : ''
  return forbidden
    ? new ServiceError('conflict', forbidden, { hint: `Change it back${covered}, or change the policy.` })
    : null
}

function fewer({ replicas: then }: Looked, { change }: Facts): ServiceError | null {
  const { replicas: now } = outlookIn(change)
  return then !== undefined && now !== undefined && now < then ? fewerWanted(now, then) : null
}

function deletions(mode: DecisionMode, { deletions: then }: Looked, { change }: Facts): ServiceError | null {
  const now = deletionsIn({ ...change, outlook: outlookIn(change) }, mode)
  return then !== undefined && now > then ? moreDeleted(now) : null
}

function atOnce({ maxUnavailable }: Looked, { change }: Facts): ServiceError | null {
  const { pool } = outlookIn(change)
  return maxUnavailable !== undefined && unseenAtOnce({ begun: false, maxUnavailable }, pool)
    ? moreAtOnce(pool!.limit!)
    : null
}

function byPolicy(
  ctx: Ctx,
  mode: 'in-place' | 'replace',
  { change, standing, remembered }: Facts,
): ServiceError | null {
  const { blocked } = outlookIn(change)
  if (blocked) return new ServiceError('conflict', blocked)
  if (standing instanceof ServiceError) return standing
  const { forbidden } = standing.ways[mode]
  if (forbidden) return new ServiceError('conflict', forbidden)
  if (standing.rules.notTheAuthor.value && standing.author.isBy(ctx.actor.id))
    return itsAuthor(change.author, standing.rules)
  return remembered === null ? null : new ServiceError('conflict', remembered)
}

/** Once more would say nothing new, but where what was approved ends before it may go, or is enough by the policies of now. */
function given(mode: 'in-place' | 'replace', { dto, standing, mine }: Facts): ServiceError | null {
  if (standing instanceof ServiceError) return null
  const { due, early } = listedStanding(standing, dto)
  if (due && dto.dueMode === mode && !early)
    return new ServiceError('conflict', `It is approved so already, and ${awaits(dto)}.`)
  const { missing, needed } = standing.ways[mode]
  if (mine !== mode || missing === 0) return null
  return new ServiceError(
    'conflict',
    `You approved it so already; ${missing} more of ${needed} ${missing === 1 ? 'is' : 'are'} needed.`,
  )
}

const awaits = ({ step, stopped, paused }: Facts['dto']): string =>
  stopped
    ? 'stopped by itself: somebody lets it go on, on its own page'
    : step
      ? 'its next machine waits for somebody, on its own page'
      : paused
        ? 'was paused: somebody resumes it, on its own page'
        : 'waits for its time'

/** Its own page offers no approval then either. */
function notToLetGo({ change }: Facts): ServiceError | null {
  const why = cannotLetGo(change, change.cluster.discovery)
  return why === null ? null : new ServiceError('conflict', why)
}

function typed(mode: 'in-place' | 'replace', { change, planeRisks }: Facts): ServiceError | null {
  if (nameToType(change, mode, planeRisks) === null) return null
  const why = planeRisks[0] ?? 'Machines of a control plane are deleted.'
  return new ServiceError('invalid', why, { hint: ON_ITS_PAGE })
}

export const ON_ITS_PAGE = 'Its name is typed for that: approve it on its own page.'
