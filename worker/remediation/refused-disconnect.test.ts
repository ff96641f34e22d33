import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { SKIP_MARK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import type { KubeClient } from '@/lib/kubernetes/types'
import { noteTaken } from '@/lib/services/remediation/taken'
import { skippingCluster } from '@/testenv/skipping'
import { noteUntaken } from './untaken'

useTestDatabase()
const s = skippingCluster()
const { at, view, annotate, marks, ours, look, fares, round, marked, is, with_ } = s
const state = (to: string) => db().managementCluster.update({ where: { id: at.clusterId }, data: { state: to } })
const taken = () => noteTaken(s.machine.metadata.uid, s.held.change.id)
/** Both of what a worker repeats. */
const rounds = async () => {
  await noteUntaken(await view())
  await round()
}
const gone = () => annotate({ [SKIPS_REMEDIATION]: null, [SKIP_MARK]: null })

async function begun(): Promise<void> {
  await marked()
  await fares({ state: 'updating', startedAt: new Date() })
  await look({ updating: true })
}
const through = async (): Promise<void> => {
  await fares({ state: 'done', startedAt: new Date(), finishedAt: new Date() })
  await look({ updating: false, verdict: 'up-to-date', upToDate: true })
}

describe('a worker that was restoring as a disconnect was refused', () => {
  /** Its round begins while the cluster is left, and reads the machine only after that is over. */
  async function outlives(): Promise<void> {
    const { client } = await view()
    const get: KubeClient['get'] = async (...given) => {
      await state('connected')
      return client.get(...given)
    }
    await state('disconnected')
    await round(await with_({ get }))
    expect((await db().managementCluster.findUniqueOrThrow({ where: { id: at.clusterId } })).state).toBe('connected')
  }

  test.each<[string, () => Promise<unknown>]>([
    [
      'updated, and its host on its way back',
      async () => {
        await through()
        await look({ ready: false })
      },
    ],
    ['its rest rejected in the middle of its update', () => is({ state: 'rejected' })],
    ['in the middle of its update', async () => {}],
  ])('%s: it stays skipped', async (_how, happens) => {
    await begun()
    await happens()
    await outlives()
    expect(await marks()).toEqual(ours())
    await look()
    await round()
    expect(await marks()).toEqual(ours())
  })

  test('it is over between its question and its write: it is put back', async () => {
    await begun()
    await is({ state: 'rejected' })
    const { client } = await view()
    const patch: KubeClient['patch'] = async (...given) => {
      await state('connected')
      return client.patch(...given)
    }
    await state('disconnected')
    await round(await with_({ patch }))
    expect(await marks()).toEqual({})
    await look({ updating: true })
    await round()
    expect(await marks()).toEqual(ours())
  })
})

test('what is to be put back is tried again where the API server does not answer at first', async () => {
  await begun()
  await is({ state: 'rejected' })
  await taken()
  await gone()
  await look({ updating: true })
  const patch: KubeClient['patch'] = () => Promise.reject(new Error('connection refused'))
  await expect(round(await with_({ patch }))).rejects.toThrow('connection refused')
  await round()
  expect(await marks()).toEqual(ours())
})

describe('noted as taken, and never taken, for whoever was leaving died, or was refused', () => {
  /** It was noted so long ago. */
  async function noted(minutes: number): Promise<void> {
    await begun()
    await state('disconnected')
    await taken()
    await state('connected')
    const data = { at: new Date(Date.now() - minutes * 60_000) }
    if (minutes > 0) await db().remediationSkip.updateMany({ where: { changeId: s.held.change.id }, data })
  }

  test.each([0, 2])('%i minutes ago: one that is through is not marked again, whatever becomes of it', async (ago) => {
    await noted(ago)
    await rounds()
    expect(await marks()).toEqual(ours())
    await through()
    await rounds()
    expect(await marks()).toEqual({})
    await look({ ready: false, error: 'gone' })
    await rounds()
    expect(await marks()).toEqual({})
  })

  test('whoever takes it away by hand afterwards is not fought', async () => {
    await noted(2)
    await rounds()
    await gone()
    await look({ updating: true })
    await rounds()
    expect(await marks()).toEqual({})
  })

  test('while the call that takes it may still be on its way, it is put back', async () => {
    await noted(0)
    await rounds()
    await gone()
    await look({ updating: true })
    await rounds()
    expect(await marks()).toEqual(ours())
  })

  test('taken, and the watch is late for as long: it is put back', async () => {
    await noted(2)
    await gone()
    await rounds() // its row shows the mark still
    await look({ updating: true })
    await rounds()
    expect(await marks()).toEqual(ours())
  })

  test('while its cluster is being left still, nothing of that is known', async () => {
    await noted(2)
    await state('disconnected')
    await noteUntaken(await view())
    await state('connected')
    await gone()
    await look({ updating: true })
    await rounds()
    expect(await marks()).toEqual(ours())
  })
})

test('taken while the worker that set it has not noted that yet: it is taken', async () => {
  await begun()
  await db().remediationSkip.deleteMany({})
  await gone()
  await look({ updating: true })
  const { client } = await view()
  const patch: KubeClient['patch'] = async (...given) => {
    const stored = await client.patch(...given)
    await state('disconnected')
    await taken()
    return stored
  }
  await round(await with_({ patch }))
  await state('connected')
  expect(await db().remediationSkip.findMany()).toMatchObject([{ state: 'taken' }])
})
