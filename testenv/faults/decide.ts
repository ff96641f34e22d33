import { closeDatabase } from '@/lib/db/client'
import { approveChange } from '@/lib/services/changes/approve-change'
import { systemCtx } from '@/lib/services/context'

/** A process that decides and may be killed while it does: node --import tsx testenv/faults/decide.ts CHANGE FINGERPRINT MODE */
const [changeId, fingerprint, mode] = process.argv.slice(2)
await approveChange(systemCtx('suite'), { changeId, fingerprint, mode })
await closeDatabase()
