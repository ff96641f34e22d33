import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, expectHeld, failure, latchedCluster, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { ROLES } from '../context'
import { approveChange } from './approve-change'
import { getChange } from './get-change'
import { previewDecision } from './preview-decision'
import { rejectChange } from './reject-change'
import { retryDecision } from './retry-decision'

useTestDatabase()

const at = latchedCluster()

describe('who may', () => {
  let held: Held
  beforeAll(async () => {
    held = await at.held()
  })

  test.each(ROLES)('%s', async (role) => {
    const allowed = async (attempt: Promise<unknown>) => (await failure(attempt)).code !== 'forbidden'
    const stale = { changeId: held.change.id, fingerprint: '0'.repeat(64) }
    const may = {
      reject: await allowed(rejectChange(as(role), stale)),
      approve: await allowed(approveChange(as(role), { ...stale, mode: 'replace' })),
    }
    expect(may).toEqual({
      reject: role !== 'viewer',
      approve: role === 'approver' || role === 'admin',
    })
    await previewDecision(as(role), { changeId: held.change.id, mode: 'replace' })
    await getChange(as(role), { id: held.change.id })
    expect(await stateOf(held)).toBe('waiting')
  })

  test('an operator repeats a rejection, and not an approval', async () => {
    const decision = (mode: string) =>
      db().decision.create({
        data: {
          ...{ changeId: held.change.id, fingerprint: held.change.fingerprint, mode, state: 'failed' },
          ...{ actorId: 'ada', actorName: 'Ada' },
        },
      })
    const [approval, rejection] = [await decision('replace'), await decision('reject')]
    expect((await failure(retryDecision(as('viewer'), { decisionId: rejection.id }))).code).toBe('forbidden')
    expect((await failure(retryDecision(as('operator'), { decisionId: approval.id }))).code).toBe('forbidden')
    expect(await retryDecision(as('operator'), { decisionId: rejection.id })).toMatchObject({ state: 'accepted' })
    await expectHeld(held)
  })
})
