import { closeDatabase, db } from '@/lib/db/client'
import { applyDecision } from '@/lib/services/changes/apply'
import { approveChange } from '@/lib/services/changes/approve-change'
import { closeClients } from '@/lib/services/clusters/connection'
import { systemCtx } from '@/lib/services/context'
import { killAt } from './kill-at'

/** What to decide on, and at which of the things that it sends it is killed; null: at none. */
export interface Task {
  changeId: string
  fingerprint: string
  mode: 'in-place' | 'replace'
  kill: { n: number; when: 'before' | 'after' } | null
}

/** Waits to be told; then decides, or takes up what another one recorded, until it is killed. */
process.once('message', ({ kill, ...task }: Task) => {
  process.disconnect()
  if (kill) killAt(kill.n, kill.when)
  void decide(task)
})
process.send?.('ready')

async function decide(task: Omit<Task, 'kill'>): Promise<void> {
  const recorded = await db().decision.findFirst({ where: { changeId: task.changeId } })
  if (recorded) await applyDecision(recorded.id, `taken-up:${process.pid}`)
  else await approveChange(systemCtx('suite'), task)
  await closeClients()
  await closeDatabase()
}
