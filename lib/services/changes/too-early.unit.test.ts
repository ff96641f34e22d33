import { expect, test } from 'vitest'
import { timingDto, type TimingDto } from '../policies/timing'
import { earlyNow, earlyOf } from './too-early'

const NOW = Date.parse('2026-11-24T12:00:00Z')
const HOUR = 3_600_000
const at = (hours: number) => new Date(NOW + hours * HOUR).toISOString()
const OPEN = timingDto({ open: true, until: null })
const closed = (why: TimingDto['why'], opens: number | null, besides: TimingDto[] = []): TimingDto => ({
  ...{ ...OPEN, open: false, why, besides, opens: opens === null ? null : at(opens), zone: 'Europe/Berlin' },
})
const lasting = (value: string) => ({
  expiresAfter: { value, policy: { id: 'p', name: 'prod', version: 1 }, why: '' },
})
const WINDOW = closed('window', 120)

test.each<[string, TimingDto, string, [may: string | null, from: string | null] | null]>([
  ['it may go now', OPEN, '8h', null],
  ['approvals do not end', WINDOW, 'never', null],
  ['they last until the window', WINDOW, '7d', null],
  ['the window comes later', WINDOW, '8h', [at(120), at(112)]],
  ['a freeze is over later', closed('freeze', 9), '8h', [at(9), at(1)]],
  ['the wave says nothing of when', closed('wave', null), '8h', null],
  ['its wave soaks until later', closed('wave', 24), '8h', [at(24), at(16)]],
  ['a wave, and a window that comes later besides', closed('wave', 1, [WINDOW]), '8h', [at(120), at(112)]],
  ['somebody paused it, and its window comes later', closed('paused', null, [WINDOW]), '8h', [at(120), at(112)]],
  ['no window ever opens', closed('window', null), '8h', [null, null]],
  ['a wave, and no window ever opens', closed('wave', 1, [closed('window', null)]), '8h', [null, null]],
  ['its group is not as its policy says', closed('shape', null), '8h', null],
])('what is approved now ends too early: %s', (_, timing, expiresAfter, wanted) => {
  const found = earlyNow(lasting(expiresAfter), timing, NOW)
  if (wanted === null) return expect(found).toBeNull()
  expect(found).toMatchObject({ ends: at(8), may: wanted[0], from: wanted[1], policy: 'prod' })
})

test('what is approved goes by when its approvals end, whatever is said of approvals by now', () => {
  expect(earlyOf(lasting('never'), WINDOW, new Date(at(1)), NOW)).toMatchObject({ ends: at(1), from: at(0) })
  expect(earlyOf(lasting('8h'), WINDOW, null, NOW)).toBeNull()
  expect(earlyOf(lasting('8h'), WINDOW, new Date(at(121)), NOW)).toBeNull()
})
