'use server'

import { action } from '@/lib/auth'
import { planChange } from '@/lib/services/plan/plan-change'

const plan = action(planChange)

/** What a change that does not exist yet would do to each machine. Nothing is applied. */
export async function planAction(input: { clusterId: string; manifests?: string; groupId?: string; version?: string }) {
  return plan(input)
}
