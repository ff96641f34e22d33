import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { goesWords, type Resolved, type Span } from '@/lib/domain/policies'
import { earlyNow } from '../changes/too-early'
import { shownTiming } from './besides'
import { timingDto, timingOf, UNTIMED } from './timing'

const policy = { id: 'p', name: 'prod', version: 1 }
const told = <T>(value: T) => ({ value, policy, why: '' })
/** From 10 to 12 every day. */
const MORNINGS: Span = { starts: '2026-01-01T10:00', lasts: '2h', repeats: 'FREQ=DAILY', timeZone: 'UTC' }
const SALE: Span = { starts: '2026-11-24T13:00', ends: '2026-11-24T20:00', timeZone: 'UTC' }
const ALWAYS: Span = { ...MORNINGS, starts: '2026-01-01T00:00', lasts: '1d' }

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const DAY = '2026-11-24T'
const shown = (at: string, opens: string | null, calendar: { windows?: Span[]; freezes?: Span[] }) => {
  vi.setSystemTime(`${DAY}${at}:00Z`)
  const { windows, freezes } = calendar
  const rules = {
    ...{ windows: windows ? [told(windows)] : [], freezes: freezes ? [told(freezes)] : [] },
    ...{ waves: told([]), expiresAfter: told('3h') },
  } as unknown as Resolved
  const place = { policyId: 'p', version: 1, name: 'rest', index: 1, of: 2, state: 'waits', why: 'canary soaks' }
  const wave = { ...place, opens: opens && `${DAY}${opens}:00.000Z` }
  const change = { ...UNTIMED, wave, heldBy: 'latch', shape: null, groupKind: 'MachineDeployment' }
  return { rules, timing: shownTiming(rules, change, false, new Date()) }
}

test.each<[string, string, string | null, Parameters<typeof shown>[2], string]>([
  ['it soaks until after its window of today', '09:00', '14:00', { windows: [MORNINGS] }, 'goes 2026-11-25 10:00 UTC'],
  ['the same while that window is open', '11:00', '14:00', { windows: [MORNINGS] }, 'goes 2026-11-25 10:00 UTC'],
  ['it soaks until its window is open', '09:00', '11:00', { windows: [MORNINGS] }, 'goes 2026-11-24 11:00 UTC'],
  ['it soaks until after a freeze has begun', '12:00', '14:00', { freezes: [SALE] }, 'goes 2026-11-24 20:00 UTC'],
  ['and until one is over', '14:00', '21:00', { freezes: [SALE] }, 'goes 2026-11-24 21:00 UTC'],
  ['its window never closes', '09:00', '14:00', { windows: [ALWAYS] }, 'goes 2026-11-24 14:00 UTC'],
  ['nobody knows when its wave opens', '09:00', null, { windows: [MORNINGS] }, 'in wave 2 of 2'],
])('it goes when its wave and its calendar are open together: %s', (_, at, opens, calendar, words) => {
  expect(goesWords(shown(at, opens, calendar).timing)).toBe(words)
})

test('what is approved now ends before it may go, also where the window of now is open', () => {
  const { rules, timing } = shown('11:00', '13:30', { windows: [MORNINGS] })
  expect(earlyNow(rules, timing, Date.now())).toMatchObject({
    ends: `${DAY}14:00:00.000Z`,
    may: '2026-11-25T10:00:00.000Z',
  })
})

test.each<[string, Span[], true | undefined]>([
  ['opens once', [{ starts: '2026-11-24T10:00', lasts: '2h', timeZone: 'UTC' }], true],
  ['opens again', [MORNINGS], undefined],
  ['never closes', [ALWAYS], undefined],
])('while it is open, a window that %s says whether it closes for good', (_, windows, last) => {
  vi.setSystemTime(`${DAY}11:00:00Z`)
  expect(timingDto(timingOf({ windows: [told(windows)], freezes: [] }, UNTIMED, new Date())).last).toBe(last)
})
