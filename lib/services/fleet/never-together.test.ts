import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { cy } from '@/testenv/timed'
import { savePolicy } from '../policies/save-policy'
import { needsYou } from './needs-you'

useTestDatabase()

test('what is approved, and closed by windows that never meet, says so', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'm', server: '' } })
  for (const hour of ['01', '02']) {
    const windows = [{ starts: `2026-01-01T${hour}:00`, lasts: '1h', repeats: 'FREQ=DAILY', timeZone: 'UTC' }]
    await savePolicy(cy, { name: `at-${hour}`, spec: { select: {}, windows } })
  }
  const outcome = { counts: { replace: 1 }, created: 1, deleted: 1, headline: '' }
  const approval = { fingerprint: 'f', mode: 'replace', actorId: 'bo', actorName: 'Bo', deletions: 9 }
  await db().change.create({
    data: {
      ...{ clusterId, groupId: randomUUID(), groupKind: 'MachineDeployment', namespace: 'n', groupName: 'g' },
      ...{ workloadCluster: 'w', fingerprint: 'f', state: 'waiting', summary: 's', heldBy: 'latch', machines: 1 },
      ...{ resourceVersion: '1', changeSet: { pairs: [], fields: [] }, dueMode: 'replace' },
      ...{ outlook: { inPlace: null, replace: outcome, uncovered: [] }, approvals: { create: approval } },
    },
  })
  const [need] = (await needsYou(cy, {})).filter(({ where }) => where.endsWith('/ g'))
  expect(`${need?.sentence} ${need?.detail}`).toContain('Approved, its windows are never open together')
})
