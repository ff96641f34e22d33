import { describe, expect, it } from 'vitest'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { Capabilities } from '@/lib/domain/capabilities'
import { inPlaceWords, installedWords, isBarred, labelOf, notInstalledWords, staysHeldWords } from './words'

const cluster = (latch: object) =>
  ({ latch: { form: 'watch' }, policy: { breakGlass: 'b' }, discovery: { latch } }) as unknown as ClusterDetail

describe('what is installed', () => {
  it('says that an API server can carry no latch only where it cannot', () => {
    expect(installedWords(cluster({ policy: null, webhook: false }))).toContain('can carry no latch')
    const chosen = installedWords(cluster({ policy: null, webhook: true }))
    expect(chosen).toContain('as somebody chose')
    expect(chosen).not.toContain('can carry no latch')
  })

  it('bars no way back to how pools are held already', () => {
    const barred = (pools: string | undefined, now: string | null, governs = 'all') =>
      isBarred({ barred: 'No.' }, { pools }, { governs, pools: now })
    expect(barred('same-write', 'pausing')).toBe(true)
    expect(barred('same-write', null)).toBe(true)
    expect(barred('same-write', 'same-write')).toBe(false)
    expect(barred('same-write', 'same-write', 'none')).toBe(true)
    expect(barred(undefined, 'pausing')).toBe(false)
    expect(isBarred({ barred: null }, { pools: 'same-write' }, { governs: 'all', pools: 'pausing' })).toBe(false)
  })

  it('says what a latch would do where updates in place are off: whether one is there is not known here', () => {
    const off = { state: 'off', how: '' }
    const found = { clusterApi: {}, gates: { inPlaceUpdates: off, runtimeSdk: off }, latch: { policy: 'v1' } }
    expect(inPlaceWords(found as unknown as Capabilities)).toMatch(/replacement\. A latch would hold all the same\.$/)
  })

  it('says of what is held without a latch that nothing guards it', () => {
    const said = (held: number, state = 'none') =>
      notInstalledWords({ counts: { held }, gate: { state } } as ClusterDetail)
    expect(said(0)).toContain('nothing is held here.')
    expect(said(1)).toContain('One group that was held before stays paused and unguarded')
    expect(said(2)).not.toContain('nothing is held')
    expect(said(0, 'registered')).toContain(
      'nothing is held here, but for what Cluster API asks the update gate about.',
    )
  })

  it('says of other credentials that the API server holds what is held only where it does', () => {
    const said = (form: string) => staysHeldWords({ latch: { form } } as ClusterDetail)
    expect([said('policy'), said('webhook')]).toEqual(Array(2).fill(expect.stringContaining('the API server holds it')))
    expect(said('watch')).toBe(
      'What is held stays paused, and nothing guards it: anybody who may edit a group can take its pause away, and as long as Drydock does not watch, nothing pauses it again.',
    )
    expect(said('none')).toMatch(/nothing guards it: .* can take its pause away\.$/)
  })
})

it('names no label where none governs any more', () => {
  const label = { labelKey: 'drydock.dev/governed', labelValue: 'true' }
  expect(labelOf({ governs: 'object-label', ...label })).toBe('drydock.dev/governed=true')
  expect(labelOf({ governs: 'none', ...label })).toBeNull()
})
