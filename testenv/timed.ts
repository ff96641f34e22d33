import { randomUUID } from 'node:crypto'
import { afterEach, expect } from 'vitest'
import { db } from '@/lib/db/client'
import type { PolicySpec, Span } from '@/lib/domain/policies'
import { approveChange } from '@/lib/services/changes/approve-change'
import type { Ctx, Role } from '@/lib/services/context'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { expectReleased, inputFor, latchedCluster, stateOf } from './deciding'
import { MD, type Held } from './held'
import { planningContext } from './planning'
import { planGroup } from '@/worker/planner/plan-group'

export const person = (id: string, role: Role = 'approver'): Ctx => ({
  actor: { kind: 'user', id, name: id[0]!.toUpperCase() + id.slice(1), role },
})
export const [ada, bo, cy] = [person('ada'), person('bo'), person('cy', 'admin')]

const local = (at: number) => new Date(at).toISOString().slice(0, 16)
export const HOUR = 3_600_000
/** From an hour ago for two hours; and from tomorrow on. */
const now: Span = { starts: local(Date.now() - HOUR), lasts: '2h', timeZone: 'UTC', why: 'the sale' }
const tomorrow: Span = { starts: local(Date.now() + 24 * HOUR), lasts: '2h', timeZone: 'UTC' }
export const FROZEN = { freezes: [now] }
export const CLOSED = { windows: [tomorrow] }

export const says = (held: Held, rules: Omit<PolicySpec, 'select'>) =>
  savePolicy(cy, { name: `p-${randomUUID()}`, spec: { select: { names: [held.name] }, ...rules } })
export const lifted = () => db().rolloutPolicy.deleteMany({})
export const row = (held: Held) => db().change.findUniqueOrThrow({ where: { id: held.change.id } })
export const decisions = (held: Held) =>
  db().decision.findMany({ where: { changeId: held.change.id }, orderBy: { recordedAt: 'asc' } })
/** A machine of it has begun. */
export const begins = ({ change: { id: changeId } }: Held) =>
  db().machineProgress.create({
    data: { changeId, machineId: randomUUID(), machineName: 'm', state: 'updating', startedAt: new Date() },
  })
export async function approvals(held: Held): Promise<string[]> {
  const rows = await db().approval.findMany({ where: { changeId: held.change.id }, orderBy: { at: 'asc' } })
  return rows.map(({ actorId, endedWhy }) => `${actorId}${endedWhy ? ` ${endedWhy}` : ''}`)
}

/** A latched cluster whose held changes are planned as the worker plans them; policies are gone after each test. */
export function timedCluster() {
  const at = latchedCluster()
  afterEach(async () => void (await lifted()))
  const context = () => planningContext(at.clusterId)
  const look = async (held: Held) => planGroup(await context(), { ...(await held.read()), kind: held.kind })
  /** Held; its new machine will take its time, so that there is something left to be held again. */
  const slow = async (): Promise<Held> => {
    const held = await at.held()
    const template = { spec: { minReadySeconds: 1_000_000 } }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { template } })
    return held
  }
  return {
    at,
    view: async () => (await context()).view,
    look,
    slow,
    /** Let go, and under way. */
    async running(): Promise<Held> {
      const held = await slow()
      const { id } = await approveChange(ada, inputFor(held))
      await expectReleased(held, id)
      await look(held)
      expect(await stateOf(held)).toBe('running')
      return held
    },
  }
}
