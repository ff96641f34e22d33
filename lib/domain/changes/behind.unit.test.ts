import { expect, it } from 'vitest'
import { behindMessage, behindWords, isBehind, isStill, runningOnly, saysBehind } from './behind'

const now = Date.parse('2026-11-21T03:00:00Z')
const kubelet = 'Running v1.33.7, not up to date: its kubelet is v1.33.6, and v1.33.7 is wanted.'
const since = (seconds: number, sentence = kubelet) => ({ sentence, changedAt: new Date(now - seconds * 1_000) })

it('says that its updaters are done, and what it still is', () => {
  expect(behindMessage(since(5), true, now)).toBe('Its updaters are done, but its kubelet is still v1.33.6.')
  expect(behindMessage(since(61), true, now)).toBe(
    'Its updaters are done, but its kubelet is still v1.33.6: it is late.',
  )
  for (const updaters of [true, false]) expect(saysBehind(behindMessage(since(5), updaters, now))).toBe(true)
  expect([saysBehind(null), saysBehind('Being updated in place to v1.34.1.')]).toEqual([false, false])
  const other = 'Running v1.33.7, not up to date: KubeadmConfig is not up-to-date.'
  expect(behindWords({ sentence: other }, false)).toBe('its update is over, but KubeadmConfig is not up-to-date')
  expect(behindWords({ sentence: 'Running v1.33.7.' }, true)).toContain('but it is not what is wanted')
})

it('says nothing of what is wanted now where another state is spoken of', () => {
  expect(runningOnly('Running v1.33.7, not up to date: DevMachine is not up-to-date.')).toBe('Running v1.33.7.')
  for (const same of [kubelet, 'Running v1.33.7.', 'Not ready: it is not up to date: no.'])
    expect(runningOnly(same)).toBe(same)
})

it('is behind when nothing is at work any more, and still so after minutes', () => {
  const over = { upToDate: false, updating: false, deleting: false, error: null }
  expect(isBehind(over)).toBe(true)
  for (const other of [{ upToDate: true }, { upToDate: null }, { updating: true }, { deleting: true }, { error: 'x' }])
    expect(isBehind({ ...over, ...other })).toBe(false)
  expect([isStill(since(299), now), isStill(since(301), now)]).toEqual([false, true])
})
