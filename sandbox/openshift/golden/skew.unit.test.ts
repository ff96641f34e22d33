import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../lib/domain/json'
import { playTable } from './index'
import { HIDDEN_BY_POOL, playSkewRow, type SkewRow } from './skew'

const text = readFileSync(join(import.meta.dirname, 'tables', 'skew.json'), 'utf8')
const rows = (JSON.parse(text) as { rows: SkewRow[] }).rows
const row = (id: string): SkewRow => structuredClone(rows.find((r) => r.id === id)!)

describe('what the operator decided about boot image skew, by our rules', () => {
  it('is the same in every row', async () => {
    const played = await playTable('skew.json', text)
    expect(played).toHaveLength(279)
    expect(played.filter((p) => p.difference)).toEqual([])
  })

  it('is known better where a pool hides it, and nowhere else', async () => {
    const played = await playTable('skew.json', text)
    expect(played.filter((p) => p.exceptions.length).map((p) => [p.id, p.exceptions])).toEqual([
      ['pools/degraded/skew-bad', [HIDDEN_BY_POOL]],
      ['pools/both-in-one/skew-bad', [HIDDEN_BY_POOL]],
    ])
  })

  const wrong: [string, (out: SkewRow['out']) => void][] = [
    ['mode', (out) => (out.mode = out.mode === 'None' ? 'Manual' : 'None')],
    ['recorded', (out) => (out.recorded = { ocpVersion: '1.2.3' })],
    ['managedBootImagesStatus', (out) => (out.managedBootImagesStatus = { machineManagers: [{ resource: 'x' }] })],
    ['optedInAnnotation', (out) => (out.optedInAnnotation = !out.optedInAnnotation)],
    ['operatorSyncError', (out) => (out.operatorSyncError = `${out.operatorSyncError ?? ''}!`)],
    ['upgradeable.status', (out) => (out.upgradeable.status = out.upgradeable.status === 'True' ? 'False' : 'True')],
    ['upgradeable.reason', (out) => (out.upgradeable.reason += '!')],
    ['upgradeable.message', (out) => (out.upgradeable.message += '!')],
  ]
  it.each(wrong)('differs where %s is another', (at, change) => {
    for (const { id } of rows) {
      const changed = row(id)
      change(changed.out)
      expect([id, playSkewRow(changed).difference?.at.startsWith(at)]).toEqual([id, true])
    }
  })

  it('differs where a row is not one, and does not stop there', async () => {
    const table = JSON.stringify({ rows: [{ id: 'empty' }, 7, row('default/AWS')] })
    const played = await playTable('skew.json', table)
    expect(played.map((p) => [p.id, !p.difference])).toEqual([
      ['empty', false],
      ['row 2', false],
      ['default/AWS', true],
    ])
  })

  it.each([[null], [7], [[]]])('says which pool is none: %j', async (pool) => {
    const pools = row('pools/interrupted/skew-ok')
    const [first = {}] = pools.in.pools ?? []
    const table = { rows: [{ ...pools, in: { ...pools.in, pools: [first, pool] } }] }
    const [played] = await playTable('skew.json', JSON.stringify(table))
    expect(played!.difference?.ours).toBe('in.pools[1] is not an object of conditions')
  })

  it.each([
    ['[]', 'it has no rows'],
    ['{"rows":[]}', 'it has no rows'],
    ['null', 'it is not a JSON object'],
    ['{', 'it is not JSON'],
  ])('does not pass for a table that is none: %s', async (table, sentence) => {
    await expect(playTable('skew.json', table)).rejects.toThrow(sentence)
  })
})

const manager = (resource: string, mode: string) => ({
  resource,
  apiGroup: 'machine.openshift.io',
  selection: { mode },
})
const listed = (...entries: [string, string][]) => ({ machineManagers: entries.map(([r, m]) => manager(r, m)) })
const SETS = 'machinesets'
const PLANES = 'controlplanemachinesets'

/** Read in the operator's code, and in no row of the table. */
describe('rows that were never recorded', () => {
  it('keeps the order of status, and what stands there that it has no say in', () => {
    const kept = row('default/AWS')
    kept.in.machineConfiguration.status = { managedBootImagesStatus: listed([PLANES, 'All'], [SETS, 'None']) }
    kept.out.managedBootImagesStatus = listed([PLANES, 'None'], [SETS, 'All'])
    expect(playSkewRow(kept).difference).toBeUndefined()
    kept.in.gates = ['BootImageSkewEnforcement']
    kept.out.managedBootImagesStatus = listed([PLANES, 'All'], [SETS, 'All'])
    expect(playSkewRow(kept).difference).toBeUndefined()
  })

  it('names the first pool that is in the way', () => {
    const pools = row('pools/interrupted/skew-ok')
    pools.in.pools = [{ Degraded: 'False' }, { BuildInterrupted: 'True' }, { Degraded: 'True' }]
    expect(playSkewRow(pools).difference).toBeUndefined()
    pools.in.pools.reverse()
    expect(playSkewRow(pools).difference?.at).toMatch(/^upgradeable\./)
  })

  it('takes an address that is no text for one', () => {
    const bare = row('baremetal/cr-url/HighlyAvailable')
    bare.in.provisioning = { spec: { provisioningOSDownloadURL: null } }
    expect(playSkewRow(bare).difference).toBeUndefined()
  })

  it('takes a stanza with nothing in it for none', () => {
    const empty = row('spec/empty-object')
    empty.in.machineConfiguration.spec = { bootImageSkewEnforcement: { mode: '', manual: { ocpVersion: '' } } }
    expect(playSkewRow(empty).difference).toBeUndefined()
  })

  it('cannot read a version with a second line, nor a date in other digits', () => {
    const records: JsonObject[] = [
      { mode: 'OCPVersion', ocpVersion: '4.12.0\n' },
      { mode: 'RHCOSVersion', rhcosVersion: '9.1.２０２５１０２３-0' },
    ]
    for (const manual of records) {
      const odd = row('ocp/garbage')
      odd.in.machineConfiguration.spec = { bootImageSkewEnforcement: { mode: 'Manual', manual } }
      odd.out.recorded = manual
      expect(playSkewRow(odd).difference).toBeUndefined()
    }
  })
})

describe('what the operator’s next sync makes of its own status', () => {
  it('is the same again, and no second opting in', () => {
    fc.assert(
      fc.property(fc.constantFrom(...rows), (first) => {
        const { mode, recorded, managedBootImagesStatus } = first.out
        const again = structuredClone(first)
        const part = mode === 'Manual' ? 'manual' : 'automatic'
        again.in.machineConfiguration.status = {
          ...(first.in.machineConfiguration.status as object),
          bootImageSkewEnforcementStatus: mode && { mode, ...(recorded && { [part]: recorded }) },
          managedBootImagesStatus,
        } as never
        again.out.optedInAnnotation = false
        expect(playSkewRow(again).difference).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  })
})
