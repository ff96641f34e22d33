import { expect, test, vi } from 'vitest'
import type { Policy, PolicySpec } from '@/lib/domain/policies'
import { openingsOf } from './previewed-times'

const policy = (spec: Partial<PolicySpec>): Policy => ({ id: 'p', name: 'p', spec: { select: {}, ...spec } }) as Policy
const night = { starts: '2026-11-24T22:00', lasts: '4h', repeats: 'FREQ=DAILY', timeZone: 'Europe/Berlin' }

test('when machines may move next is told by the clock of the place, where all windows are of one', () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-24T12:00Z'), toFake: ['Date'] })
  try {
    const [first] = openingsOf(policy({ windows: [night] }))!
    expect(first).toEqual({
      ...{ from: '2026-11-24T21:00:00.000Z', to: '2026-11-25T01:00:00.000Z' },
      ...{ last: false, timeZone: 'Europe/Berlin' },
    })
    const [other] = openingsOf(policy({ windows: [night, { ...night, timeZone: 'Asia/Tokyo' }] }))!
    expect(other!.timeZone).toBeNull()
    const [frozen] = openingsOf(policy({ freezes: [{ ...night, repeats: undefined }] }))!
    expect(frozen).toMatchObject({ from: null, timeZone: 'Europe/Berlin' })
  } finally {
    vi.useRealTimers()
  }
})
