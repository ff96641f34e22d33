import { db } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import { writesBackWords } from '@/lib/domain/plan/roll-back'
import { wayByItself, type Resolved } from '@/lib/domain/policies'
import { writersOf } from '@/lib/providers/cluster-api/managed'
import type { DecisionCall } from '../changes/change-row'
import { letGoOf } from '../changes/let-go'
import { may, parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { planContext } from '../plan/context'
import { resultOf } from '../plan/plan-change'
import { addSubject, type Gathered } from '../plan/subjects'
import type { PlanResult } from '../plan/types'
import { refusalOf } from '../plan/words'
import { rulesFor } from '../policies/rules-for'
import { changeOfGoingBack } from './former'
import { generationOf, lookBack } from './look'
import { PlanRollBackInput } from './schemas'

/** What going back would do, and what it takes to write it. */
export interface RollBackPlan {
  plan: PlanResult
  offer: {
    changeId: string
    groupName: string
    /** Why Drydock does not write it; null: it may be written. */
    why: string | null
    /** Verbatim. */
    call: DecisionCall
    fingerprint: string
    /** Of what the group wants: controllers write its status meanwhile. */
    generation: number
    /** The group wants then what it was let go with, and no machine differs from that: its hold ends by itself. */
    endsByItself: boolean
    /** What comes of it waits for nobody: its policy asks for no approval. */
    goesByItself: boolean
    /** What comes of it is in the waves of this policy, like any other; null: of none. */
    waves: string | null
    /** Who would write back what is rolled back. */
    writesBack: string[]
    may: boolean
  }
}

/** What it would do to each machine if the group of a change became again what it was before. Nothing is written. */
export async function planRollBack(ctx: Ctx, input: unknown): Promise<RollBackPlan> {
  requirePermission(ctx, 'changes:plan')
  const { changeId } = parseInput(PlanRollBackInput, input)
  const change = await changeOfGoingBack(changeId)
  const context = await planContext(change.clusterId)
  try {
    const looked = await lookBack(context, change)
    const { group, planned, compared, call, fields, why } = looked
    const gathered: Gathered = { documents: [], subjects: new Map(), templates: [] }
    addSubject(gathered, { planned, live: group, undetermined: [], notes: [] })
    const idle = compared.pairs.length === 0
    const plan = await resultOf(context, gathered)
    const rules = idle ? null : await rulesOf(change)
    return {
      plan,
      offer: {
        ...{ changeId, groupName: change.groupName, why, call, fingerprint: compared.fingerprint },
        generation: generationOf(group),
        endsByItself: idle && compared.digest === (await letGoOf(change.clusterId, change.groupId)),
        goesByItself: rules !== null && wayByItself(rules, plan.groups[0]!.outlook, change.groupKind) !== null,
        waves: rules?.waves?.policy?.name ?? null,
        writesBack: writesBackWords(writersOf(group, fields)),
        may: may(ctx.actor.role, 'changes:roll-back'),
      },
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const { sentence, answer } = refusalOf(error, `the former state of ${change.groupName}`)
    throw new ServiceError('refused', sentence, { answer })
  }
}

/** What cannot be known waits for people. */
async function rulesOf(change: Change): Promise<Resolved | null> {
  try {
    return await rulesFor(db(), change)
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}
