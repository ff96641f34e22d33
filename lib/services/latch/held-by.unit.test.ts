import { describe, expect, it } from 'vitest'
import { poolsHeldNow } from './held-by'

const known = (state: string, pools?: string) => ({
  ...{ state, message: '', findings: [], proved: null },
  ...(pools ? { parts: { clusterApi: { state: 'intact', message: '' }, pools: { state: pools, message: '' } } } : {}),
})
const held = (latchStatus: unknown, watched = false, pools: string | null = 'same-write') =>
  poolsHeldNow({ latchStatus, policy: { pools }, watchSince: watched ? new Date() : null })

describe('what holds pools that are to be latched in the same write', () => {
  it.each<[string, unknown, ReturnType<typeof held>, ReturnType<typeof held>]>([
    ['is in place', known('intact', 'intact'), 'same-write', 'same-write'],
    ['is in place, and what is of Cluster API is not', known('missing', 'intact'), 'same-write', 'same-write'],
    ['refuses, since nobody answers', known('unreachable', 'unreachable'), 'same-write', 'same-write'],
    ['lets a trial write through', known('ineffective', 'ineffective'), 'lost', 'pausing'],
    ['is not there', known('missing', 'missing'), 'lost', 'pausing'],
    ['has its name taken by somebody', known('not-ours', 'not-ours'), 'lost', 'pausing'],
    ['stands there, and could not be tried', known('untried', 'untried'), 'not-known', 'pausing'],
    ['was changed', known('changed', 'changed'), 'not-known', 'pausing'],
    ['was there when the cluster could last be asked', known('unknown', 'intact'), 'not-known', 'pausing'],
    ['was never looked at', null, 'not-known', 'pausing'],
    ['lets a trial write through, where there are pools alone', known('ineffective'), 'lost', 'pausing'],
  ])('%s', (_, status, alone, watched) => expect([held(status), held(status, true)]).toEqual([alone, watched]))

  it('is nothing but pausing where nobody chose that', () => expect(held(known('intact'), true, null)).toBe('pausing'))
})
