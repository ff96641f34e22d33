import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { Times, type TimesProps } from './times'

vi.mock('next/navigation', () => ({ useRouter: () => ({}), usePathname: () => '/updates/a' }))

const OVERRIDE = { by: 'Ada', at: '2026-11-30T19:00:00Z', reason: 'CVE' }
const WAVE = {
  policy: { id: 'p', name: 'search' },
  place: { name: 'indexers', index: 2, of: 3, state: 'stopped', why: 'its waves were stopped by Bo (hold on)' },
}
const NOT = { paused: null, stopped: null, step: null, shape: null, opens: null, closes: null, also: [], apart: [] }
const inWaves = { ...NOT, why: 'wave', wave: WAVE, open: false, besides: [] }
const open = { ...NOT, why: null, wave: WAVE, open: true, besides: [] }

function words(timing: object, more: object = {}): string {
  const change = {
    ...{ id: 'a', state: 'waiting', override: OVERRIDE, paused: null, stopped: null, step: null, wentOn: null },
    ...{ groupKind: 'MachineDeployment', outlook: {}, decisions: [], machinesList: [], held: null, awaited: null },
    ...{ may: { override: true, approve: true, reject: true, plan: false }, unheard: null, heldWords: 'x' },
    policy: { rules: {}, listed: { due: true, goes: false, early: null, timing }, approvals: [] },
    ...more,
  }
  const props = { change, actions: {}, onDone: () => undefined } as unknown as TimesProps
  return renderToStaticMarkup(createElement(Times, props)).replaceAll(/<[^>]*>/g, ' ')
}

test('of what need not wait for its times, stopped waves are told all the same: they hold it', () => {
  const said = words(inWaves)
  expect(said).toContain('That its waves were stopped holds it all the same.')
  expect(said).toContain('of the policy search, and its waves were stopped by Bo (hold on).')
  expect(said).toContain('waits until somebody lets its waves go on.')
  expect(said).toContain('See the waves')
  expect(words(open)).not.toMatch(/stopped|See the waves/)
})

test('also where it stopped by itself besides', () => {
  const stopped = { policy: 'search', why: '2 machines failed', at: '2026-11-30T19:10:00Z' }
  const said = words({ ...inWaves, why: 'stopped', stopped, besides: [inWaves] }, { stopped })
  expect(said).toMatch(/Besides: .*its waves were stopped by Bo/)
  expect(said).toContain('See the waves')
})

test('of what enough approve, and nobody let go since one was taken back, no role reads that it goes at its time', () => {
  const timing = { ...inWaves, wave: null, why: 'window', policy: 'nights', opens: '2026-12-05T21:00:00Z', zone: 'UTC' }
  const listed = { due: false, goes: false, early: null, forbidden: null, given: 1, needed: 1, timing }
  const said = words(timing, {
    override: null,
    may: { override: false, approve: false, reject: true, plan: false },
    policy: { rules: {}, listed, approvals: [] },
  })
  expect(said).toContain('Approved once more, it goes by itself then.')
  expect(said).not.toContain('What is approved goes')
})
