import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeUnreachable } from '@/lib/kubernetes/types'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { bound } from '@/testenv/bound'
import { as } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { until } from '@/testenv/process'
import { timedCluster } from '@/testenv/timed'
import { calendarConsumer } from '../calendar'
import { holdToTimes, holdUntilKnown } from './times'

useTestDatabase()
const { running, view: viewNow } = timedCluster()

const paused = (held: Held) => pauseChange(as('operator'), { changeId: held.change.id, reason: 'pager' })
const isHeldNow = async (held: Held) => HELD in ((await held.read()).metadata.annotations ?? {})

/** Two that run; about the first one the API server does not answer before the end. */
async function hanging() {
  const [hangs, other] = [await running(), await running()]
  const view = await viewNow()
  const { client } = view
  let end: () => void = () => undefined
  const ended = new Promise<never>((_, reject) => (end = () => reject(new KubeUnreachable('no answer', 'GET'))))
  let asked = 0
  const get: typeof client.get = (resource, name, ...more) => {
    if (name !== hangs.name) return client.get(resource, name, ...more)
    asked++
    return ended
  }
  view.client = { ...bound(client), get }
  return { hangs, other, view, asked: () => asked, end: () => end() }
}

test('one that the API server does not answer about keeps no other one from being held', async () => {
  const { hangs, other, view, asked, end } = await hanging()
  await paused(hangs)
  await calendarConsumer.onSynced(view)
  try {
    // Whether it is midway, and, once that was waited for, what it is.
    await until('the round to hang', () => Promise.resolve(asked() === 2))
    await paused(other)
    await until('the other one to be held', () => isHeldNow(other), { ms: 8_000 })
    // By one round at a time.
    expect(asked()).toBe(2)
  } finally {
    calendarConsumer.forget?.(view)
    end()
  }
})

test('nor does what hangs while it is held until it is known', async () => {
  const { hangs, other, view, asked, end } = await hanging()
  const holding = holdUntilKnown(view, hangs.change, 'not known').catch((error: unknown) => String(error))
  await until('it to hang', () => Promise.resolve(asked() === 1))
  await paused(other)
  await holdToTimes(view)
  expect(await isHeldNow(other)).toBe(true)
  expect(asked()).toBe(1)
  end()
  expect(await holding).toContain('no answer')
})
