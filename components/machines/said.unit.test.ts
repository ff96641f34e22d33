import { describe, expect, it } from 'vitest'
import { isSaid, messagesOf } from './said'

const condition = (type: string, message: string) => ({
  ...{ type, message, status: 'False', reason: 'NotReady', lastTransitionTime: null },
})
const DRAIN = 'Drain not completed yet:\n* Pod default/web-0: cannot evict pod'

it('a text is said where it stands, whatever its spaces and full stop', () => {
  expect(isSaid('Drain not completed yet.', 'Being deleted: draining its node (Drain  not completed yet).')).toBe(true)
  expect(isSaid('Drain not completed yet', 'Running v1.34.1.')).toBe(false)
})

describe('messages of conditions', () => {
  const shown = (...conditions: ReturnType<typeof condition>[]) => messagesOf(conditions)
  it('a summary that only repeats another condition says nothing of its own', () => {
    const ready = condition('Ready', '* Deleting: Drain not completed yet:\n  * Pod default/web-0: cannot evict pod')
    const available = condition('Available', '* Deleting: Drain not completed yet:')
    expect(shown(available, ready, condition('Deleting', DRAIN))).toEqual(['', '', DRAIN])
  })
  it('one that says more, or that nobody else says, stays', () => {
    const ready = condition('Ready', '* NodeHealthy: kubelet is silent\n* Deleting: Drain not completed yet:')
    expect(shown(ready, condition('Deleting', DRAIN))[0]).toBe(ready.message)
    const twice = condition('Ready', '* Deleting: gone')
    expect(shown(twice, { ...twice, type: 'Available' })).toEqual(['', '* Deleting: gone'])
    expect(shown(condition('A', 'Same'), condition('B', 'Same'))).toEqual(['Same', 'Same'])
  })
})
