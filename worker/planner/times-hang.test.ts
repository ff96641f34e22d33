import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeUnreachable } from '@/lib/kubernetes/types'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { bound } from '@/testenv/bound'
import { as } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { until } from '@/testenv/process'
import { row, timedCluster } from '@/testenv/timed'
import { calendarConsumer } from '../calendar'
import { holdToTimes, holdUntilKnown } from './times'

useTestDatabase()
const { running, view: viewNow } = timedCluster()

const paused = (held: Held) => pauseChange(as('operator'), { changeId: held.change.id, reason: 'pager' })
const isHeldNow = async (held: Held) => HELD in ((await held.read()).metadata.annotations ?? {})

/** Some that run; about all but the last one the API server does not answer before the end. */
async function hanging(count = 1) {
  const all: Held[] = []
  for (let i = 0; i < count; i++) all.push(await running())
  const [hangs, other, view] = [all[0]!, await running(), await viewNow()]
  const { client } = view
  let end: () => void = () => undefined
  const ended = new Promise<never>((_, reject) => (end = () => reject(new KubeUnreachable('no answer', 'GET'))))
  let asked = 0
  const get: typeof client.get = (resource, name, ...more) => {
    if (!all.some((held) => held.name === name)) return client.get(resource, name, ...more)
    asked++
    return ended
  }
  view.client = { ...bound(client), get }
  return { all, hangs, other, view, asked: () => asked, end: () => end() }
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

test('two steps that hang beside a third: it is noticed that this one is done, and it is held', async () => {
  const { all, other, view, end } = await hanging(2)
  const steps = (held: Held) => db().change.update({ where: { id: held.change.id }, data: { steps: 0 } })
  const waits = (held: Held) => row(held).then(({ stepWaitsAt }) => stepWaitsAt !== null)
  await calendarConsumer.onSynced(view)
  try {
    for (const held of [...all, other]) {
      await steps(held)
      await until('its step to be noticed', () => waits(held), { ms: 12_000 })
    }
    await until('the third to be held', () => isHeldNow(other), { ms: 12_000 })
  } finally {
    calendarConsumer.forget?.(view)
    end()
  }
})
