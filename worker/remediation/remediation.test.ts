import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'
import { mindRemediation } from '@/lib/services/remediation/mind-remediation'
import { skipRemediation } from '@/lib/services/remediation/skip-remediation'
import { audited, failure } from '@/testenv/deciding'
import { skippingCluster } from '@/testenv/skipping'
import { ada, bo, person } from '@/testenv/timed'

useTestDatabase()
const s = skippingCluster()
const { at, view, input, read, annotate, marks, ours, look, is, fares, letGo, round, with_ } = s

describe('who may ask for it', () => {
  test('an approver, once, and takes it back; both are on record', async () => {
    expect((await failure(skipRemediation(person('o', 'operator'), input()))).code).toBe('forbidden')
    await skipRemediation(ada, input())
    expect((await failure(skipRemediation(bo, input()))).message).toBe('Ada has asked for that already.')
    await mindRemediation(bo, input())
    expect((await failure(mindRemediation(bo, input()))).code).toBe('conflict')
    expect(await audited(s.held)).toEqual(['change.skips-remediation ok', 'change.minds-remediation ok'])
  })

  test('where Drydock may not patch machines it says so, and nothing is asked', async () => {
    const where = { id: at.clusterId }
    const { discovery } = await db().managementCluster.findUniqueOrThrow({ where })
    const why = { verb: 'patch', group: 'cluster.x-k8s.io', resource: 'machines', why: '' }
    await db().managementCluster.update({
      where,
      data: { discovery: { ...(discovery as object), missingPermissions: [why] } },
    })
    const { code, more } = await failure(skipRemediation(ada, input()))
    await db().managementCluster.update({ where, data: { discovery: discovery as object } })
    expect([code, more.hint]).toEqual(['conflict', expect.stringContaining('may not patch machines.cluster.x-k8s.io')])
  })

  test('of what goes replacing there is nothing to ask', async () => {
    await letGo()
    await db().decision.updateMany({ where: { changeId: s.held.change.id }, data: { mode: 'replace' } })
    expect((await failure(skipRemediation(ada, input()))).message).toContain('It goes replacing')
  })

  test('of what is over there is nothing to ask', async () => {
    await is({ state: 'done' })
    expect((await failure(skipRemediation(ada, input()))).message).toBe('This change is over.')
  })
})

describe('what is marked', () => {
  test('nothing before it is let go, and then what is to be updated in place, once', async () => {
    await skipRemediation(ada, input())
    await look()
    await round()
    expect(await marks()).toEqual({})
    await letGo()
    await round()
    expect(await marks()).toEqual(ours())
    const { resourceVersion } = (await read()).metadata
    await round() // the watch is late
    await look()
    await round()
    expect((await read()).metadata.resourceVersion).toBe(resourceVersion)
    expect(await audited(s.held)).toEqual([
      'change.skips-remediation ok',
      'remediation.skip ok',
      'remediation.skipped ok',
    ])
  })

  test.each<[string, object, { state: string; startedAt?: Date; finishedAt?: Date } | null]>([
    ['is to be replaced', { verdict: 'replace' }, null],
    ['is up to date', { verdict: 'up-to-date', upToDate: true }, null],
    ['is going', { deleting: true }, null],
    [
      'was updated before anybody asked, and fell ill since',
      { verdict: 'up-to-date', ready: false },
      { state: 'done', startedAt: new Date(0), finishedAt: new Date(Date.now() - 21 * 60_000) },
    ],
  ])('not what %s', async (_what, machineIs, progress) => {
    await skipRemediation(ada, input())
    await letGo()
    await look(machineIs)
    if (progress) await fares(progress)
    await round()
    expect(await marks()).toEqual({})
  })

  test('what was updated a moment before somebody asked, and is not back yet', async () => {
    await letGo()
    await look({ verdict: 'up-to-date', upToDate: true, ready: false })
    await fares({ state: 'done', startedAt: new Date(), finishedAt: new Date() })
    await skipRemediation(ada, input())
    await round()
    expect(await marks()).toEqual(ours())
  })

  test('nothing without the click, and nothing of what was approved replacing', async () => {
    await letGo()
    await look()
    await round()
    await skipRemediation(ada, input())
    await db().decision.updateMany({ where: { changeId: s.held.change.id }, data: { mode: 'replace' } })
    await round()
    expect(await marks()).toEqual({})
  })

  test('what somebody else set stays as it was, before and after', async () => {
    await annotate({ [SKIPS_REMEDIATION]: 'mine' })
    await skipRemediation(ada, input())
    await letGo()
    await look({ skipRemediation: false }) // set since the watch showed it
    await round()
    await look({ updating: true })
    await round()
    await is({ state: 'done' })
    await round()
    expect(await marks()).toEqual({ [SKIPS_REMEDIATION]: 'mine' })
  })

  test('a write in between is read anew', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    let first = true
    const { client } = await view()
    const patch: KubeClient['patch'] = async (...given) => {
      if (first) await annotate({ 'example.com/other': 'x' })
      first = false
      return client.patch(...given)
    }
    await round(await with_({ patch }))
    expect(await marks()).toEqual(ours())
    expect((await read()).metadata.annotations?.['example.com/other']).toBe('x')
  })

  test('not by a worker that lost the cluster to another one', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    await db().clusterLease.create({ data: { clusterId: at.clusterId, owner: 'other', fence: 2n, until: new Date() } })
    await expect(round()).rejects.toThrow('Another worker owns')
    await db().clusterLease.deleteMany({})
    expect(await marks()).toEqual({})
  })

  test('one that died between its record and its write has left it to the next one', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    const data = { changeId: s.held.change.id, machineId: s.machine.metadata.uid, state: 'setting' }
    await db().remediationSkip.create({ data })
    await round()
    expect(await marks()).toEqual(ours())
  })

  test('one that died after its write, and somebody took it away: nobody is fought', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    await round()
    const where = { changeId: s.held.change.id }
    await db().remediationSkip.updateMany({ where, data: { state: 'setting' } })
    await db().machine.updateMany({ data: { skipMark: s.held.change.id, skipRemediation: true } })
    await round()
    expect((await db().remediationSkip.findFirst({ where }))?.state).toBe('set')
  })

  test('where the API server does not answer, the intent is on record once, and it is tried again in a while', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    const patch: KubeClient['patch'] = () => Promise.reject(new Error('connection refused'))
    const mine = await with_({ patch })
    const refused = new Map<string, number>()
    await expect(round(mine, refused)).rejects.toThrow('connection refused')
    await round(mine, refused)
    expect((await audited(s.held)).filter((one) => one.startsWith('remediation'))).toEqual(['remediation.skip ok'])
  })

  test('a refusal is shown in the API server’s words, recorded once, and not repeated at once', async () => {
    await skipRemediation(ada, input())
    await letGo()
    await look()
    let asked = 0
    const patch: KubeClient['patch'] = () => {
      asked++
      return Promise.reject(
        new KubeError(403, { kind: 'Status', code: 403, message: 'machines is forbidden' }, 'PATCH'),
      )
    }
    const mine = await with_({ patch })
    const refused = new Map<string, number>()
    await round(mine, refused)
    await round(mine, refused)
    expect(asked).toBe(1)
    await round(mine)
    expect(asked).toBe(2)
    const refusedNow = async () =>
      (await db().change.findUniqueOrThrow({ where: { id: s.held.change.id } })).skipsRefused
    expect(await refusedNow()).toBe('machines is forbidden')
    expect((await audited(s.held)).filter((one) => one.startsWith('remediation'))).toEqual([
      'remediation.skip ok',
      'remediation.skipped refused',
    ])
    await round()
    expect([await refusedNow(), await marks()]).toEqual([null, ours()])
  })
})
