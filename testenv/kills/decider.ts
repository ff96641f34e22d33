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
  kill: { n: number; when: 'before' | 'after' } | null
}

/** Waits to be told; then decides, or takes up what another one recorded, until it is killed. */
process.once('message', ({ changeId, fingerprint, kill }: Task) => {
  process.disconnect()
  if (kill) killAt(kill.n, kill.when)
  void decide(changeId, fingerprint)
})
process.send?.('ready')

async function decide(changeId: string, fingerprint: string): Promise<void> {
  const recorded = await db().decision.findFirst({ where: { changeId } })
  if (recorded) await applyDecision(recorded.id, `taken-up:${process.pid}`)
  else await approveChange(systemCtx('suite'), { changeId, fingerprint, mode: 'replace' })
  await closeClients()
  await closeDatabase()
}
