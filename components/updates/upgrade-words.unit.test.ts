import { expect, it } from 'vitest'
import type { ListedStanding } from '@/lib/services/changes/listed-standing'
import type { UpgradeStep } from '@/lib/services/upgrades/cluster-upgrade'
import { stepWords } from './upgrade-words'

const timing = { open: false, why: 'hook', also: [], apart: [], besides: [] }
const paused = { ...timing, why: 'paused', paused: { by: 'Ada', at: '2026-11-28T21:00:00Z', reason: null } }
const said = (more: Partial<Omit<UpgradeStep, 'listed'>>, listed: object | null = null): string =>
  stepWords({
    ...{ state: 'waiting', due: false, goes: false, begun: null, ...more },
    listed:
      listed && ({ due: true, given: 1, needed: 1, forbidden: null, timing: listed } as unknown as ListedStanding),
  })

it.each<[string, Parameters<typeof said>]>([
  ['waits for approval', [{}]],
  ['half way, waits for approval', [{ begun: 'some' }]],
  ['approved, waits for its turn', [{ due: true }, timing]],
  ['waits for its turn', [{ goes: true }, timing]],
  ['approved, paused by Ada', [{ due: true }, paused]],
  ['half way, paused by Ada', [{ due: true, begun: 'some' }, paused]],
  ['rejected', [{ state: 'rejected' }]],
  ['half way, the rest rejected', [{ state: 'rejected', begun: 'some' }]],
  ['under way', [{ state: 'running', begun: 'some' }]],
])('a group of an upgrade is told to be: %s', (words, of) => expect(said(...of)).toBe(words))
