'use server'

import { action, look } from '@/lib/auth'
import { planChange } from '@/lib/services/plan/plan-change'
import { planRollBack } from '@/lib/services/roll-back/plan-roll-back'
import { rollBack } from '@/lib/services/roll-back/roll-back'

const plan = look(planChange)
const planBack = look(planRollBack)
const back = action(rollBack)

/** What a change that does not exist yet would do to each machine. Nothing is applied. */
export async function planAction(input: { clusterId: string; manifests?: string; groupId?: string; version?: string }) {
  return plan(input)
}

/** The same of going back to what was before a change. */
export async function planBackAction(input: { changeId: string }) {
  return planBack(input)
}

/** Writes the former state that was planned; it is held, and waits for approval. */
export async function rollBackAction(input: {
  changeId: string
  fingerprint: string
  generation: number
  reason: string
}) {
  return back(input)
}
