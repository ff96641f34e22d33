import { expect, it } from 'vitest'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import { awayWords, stateOf } from './away-words'

const cluster = (form: string, state: string | null, gate = 'registered', governs = 'all') =>
  ({
    ...{ away: { since: null }, state: 'connected', policy: { governs }, gate: { state: gate, status: null } },
    ...{ latch: { form, status: state && { state } }, counts: { held: 0 } },
  }) as unknown as ClusterDetail

it('says loudly what does not happen while no worker follows a cluster, by what holds there', () => {
  const words = (...of: Parameters<typeof cluster>) => awayWords(cluster(...of)).join(' ')
  expect(words('webhook', 'unreachable')).toMatch(
    /Nobody knows whether one answers.*refuses writes that would roll out.*the update gate about waits/,
  )
  expect(words('policy', 'intact')).not.toMatch(/refuses|Nothing holds/)
  expect(words('policy', 'intact', 'unregistered')).not.toContain('gate')
  expect(words('watch', 'not-watching')).toContain('Nothing holds changes of governed groups.')
  expect(words('policy', 'intact')).toContain('What is held stays held.')
  expect(words('none', null, 'unregistered', 'none')).not.toContain('stays held')
  expect(awayWords({ ...cluster('webhook', 'unreachable'), away: null })).toEqual([])
})

it('calls connected only what somebody follows', () => {
  expect(stateOf({ state: 'connected', away: null })).toEqual({ word: 'connected', tone: 'good' })
  expect(stateOf({ state: 'connected', away: { since: null } })).toEqual({ word: 'no worker follows it', tone: 'bad' })
  expect(stateOf({ state: 'disconnected', away: null }).word).toBe('disconnected')
})
