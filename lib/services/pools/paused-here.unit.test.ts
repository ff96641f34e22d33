import { expect, it } from 'vitest'
import { DRYDOCK } from '@/lib/providers/written-by'
import { firstPause, isPausedBy, isSinceKnown } from './paused-here'

const at = (minute: number) => new Date(minute * 60_000)
const pause = { action: 'pause', recordedAt: at(5) }
const pool = (pausedBy: string, minute: number | null) => ({
  ...{ paused: true, pausedBy, pausedSince: minute === null ? null : at(minute) },
})

it('is theirs who paused it from here, also where it was held by then', () => {
  expect(isPausedBy(pool(DRYDOCK, null), pause, false)).toBe(true)
  expect(isPausedBy(pool('machine-config-controller', 3), pause, false)).toBe(true)
})

it('is not where somebody else paused it since, where Drydock holds it, or where nothing is known', () => {
  expect(isPausedBy(pool('kubectl-edit', 7), pause, false)).toBe(false)
  // Nobody may have heard of the moment in between.
  expect(isPausedBy(pool('kubectl-edit', 3), pause, false)).toBe(false)
  expect(isPausedBy(pool('machine-config-controller', null), pause, false)).toBe(false)
  expect(isPausedBy(pool(DRYDOCK, 3), pause, true)).toBe(false)
  expect(isPausedBy(pool(DRYDOCK, 3), { ...pause, action: 'resume' }, false)).toBe(false)
})

it('is known to have begun with that decision only where that wrote it', () => {
  const seconds = (after: number) => ({ ...pool(DRYDOCK, 5), pausedSince: new Date(5 * 60_000 + after * 1000) })
  expect(isSinceKnown(seconds(-1), pause, false)).toBe(true)
  expect(isSinceKnown(seconds(2), pause, false)).toBe(true)
  // Written by Drydock once more since: that tells nothing of when it began.
  expect(isSinceKnown(seconds(90), pause, false)).toBe(false)
  expect(isSinceKnown(pool(DRYDOCK, null), pause, false)).toBe(false)
  expect(isSinceKnown(pool('machine-config-controller', 5), pause, false)).toBe(false)
  expect(isSinceKnown(seconds(2), { ...pause, action: 'resume' }, false)).toBe(false)
})

it('began with the first of the decisions that said it, and not with one from before somebody resumed it', () => {
  const said = (minute: number, action = 'pause') => ({ action, recordedAt: at(minute) })
  const minute = (stored: { recordedAt: Date }[], since: number | null, held = false) =>
    (firstPause(pool(DRYDOCK, since), stored as ReturnType<typeof said>[], held)?.recordedAt.getTime() ?? NaN) / 60_000
  expect(minute([said(90), said(50), said(5)], 5)).toBe(5)
  expect(minute([said(90), said(50, 'resume'), said(5)], 5)).toBe(90)
  // Somebody resumed it elsewhere.
  expect(minute([said(90), said(50), said(5)], 50)).toBe(50)
  expect(minute([said(5)], 90)).toBe(5)
  expect(minute([said(90), said(5)], null)).toBe(90)
  expect(minute([said(90, 'resume'), said(5)], 5)).toBeNaN()
  expect(minute([said(5)], 5, true)).toBeNaN()
  expect(minute([], 5)).toBeNaN()
})
