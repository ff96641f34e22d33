import { describe, expect, it } from 'vitest'
import { lostWords, type GroupSince } from './lost'

const since = (more: Partial<GroupSince>): GroupSince => ({
  ...{ version: 'v1.34.1', open: false, done: false, moves: false, toVersion: null, available: true, stands: true },
  ...more,
})
const NOT_KNOWN = 'whether it still has it is not known'

describe('why what was through counts no more', () => {
  it.each<[string, Partial<GroupSince>]>([
    ['it has v1.34.0 since', { version: 'v1.34.0', done: true }],
    ['it is to go back to v1.34.0', { version: 'v1.34.0', open: true, toVersion: 'v1.34.0' }],
    ['it moves on to v1.34.2', { version: 'v1.34.2', open: true, moves: true, toVersion: 'v1.34.2' }],
    ['not all of its machines are available', { open: true, toVersion: 'v1.34.2', available: false }],
    ['whether what it wants by now takes that back is not known', { open: true }],
    ['some of its machines may have moved on', { open: true, toVersion: 'v1.34.2', stands: false }],
    [NOT_KNOWN, { open: true, toVersion: 'v1.34.2' }],
    [NOT_KNOWN, {}],
    [NOT_KNOWN, { version: null }],
  ])('of a version: %s', (words, more) => expect(lostWords('version v1.34.1', since(more))).toBe(words))

  it.each<[string, Partial<GroupSince>]>([
    ['it wants something else by now', { open: true, toVersion: 'v1.34.2' }],
    ['it got something else since', { done: true }],
    [NOT_KNOWN, {}],
  ])('of other content: %s', (words, more) => expect(lostWords('content x', since(more))).toBe(words))

  it('of a group that is not there says where it is', () => {
    const words = (['away', 'gone', 'coming'] as const).map((absent) => lostWords('version v1.34.1', absent))
    expect(words).toEqual([
      'its cluster is disconnected',
      'it is not there any more',
      'what it is now is not known yet',
    ])
  })
})
