import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { merged } from '../../../lib/domain/boot-images/merge'
import type { JsonObject } from '../../../lib/domain/json'
import { at, text } from '../../../lib/providers/openshift/loose'
import { playBootImageRow, type BootImageRow } from './boot-images'
import type { Catalog } from './catalog'
import { NAMES_CRASH, NOT_READ, ONLY_CLOUD } from './compare'
import { playTable } from './index'

const whole = readFileSync(join(import.meta.dirname, 'tables', 'boot-images.json'), 'utf8')
const table = JSON.parse(whole) as { catalog: Catalog; rows: BootImageRow[] }
const row = (id: string): BootImageRow => structuredClone(table.rows.find((r) => r.id === id)!)
const play = (changed: BootImageRow, catalog = table.catalog) => playBootImageRow(changed, catalog)
const specOf = (changed: BootImageRow): JsonObject =>
  at(changed.in.machineSets[0], 'spec', 'template', 'spec', 'providerSpec', 'value') as JsonObject

describe('what the boot image controller did with machine sets, by our rules', () => {
  it('is the same in every row', async () => {
    const played = await playTable('boot-images.json', whole)
    expect(played).toHaveLength(285)
    expect(played.filter((p) => p.difference)).toEqual([])
  })

  it('is told otherwise only where the process ends, and where AWS, vCenter or a Secret decides', async () => {
    const played = await playTable('boot-images.json', whole)
    const ids = (exception: object) => played.filter((p) => p.exceptions.includes(exception as never)).map((p) => p.id)
    const crashes = table.rows.filter((r) => r.out.decision === 'crash').map((r) => r.id)
    expect(ids(NAMES_CRASH)).toEqual(crashes)
    expect(ids(ONLY_CLOUD).filter((id) => !/AWS|VSphere/.test(id))).toEqual([])
    expect(ids(NOT_READ)).not.toHaveLength(0)
    expect(played.filter((p) => /^(fleet\/|cpms\/)?(GCP|Azure)\/image/.test(p.id) && p.exceptions.length)).toEqual([])
  })

  const flip = (value: unknown) => (value === 'True' ? 'False' : 'True')
  const wrong: [string, (out: BootImageRow['out']) => unknown][] = [
    ['decision', (out) => out.decision && (out.decision = out.decision === 'updated' ? 'unchanged' : 'updated')],
    ['images', (out) => out.images && (out.images = Object.fromEntries(Object.keys(out.images).map((k) => [k, {}])))],
    ['images', (out) => (out.images = { ...out.images, 'machinesets/nobody': { ami: { id: 'ami-1' } } })],
    ['patches', (out) => out.patches && (out.patches = { ...out.patches, 'machinesets/nobody': {} })],
    ['counts', (out) => out.counts && (out.counts = { ...out.counts, skipped: 7 })],
    ['recorded', (out) => out.recorded && (out.recorded = { ocpVersion: '1.2.3' })],
    ['progressing', (out) => out.progressing && (out.progressing.status = flip(out.progressing.status))],
    ['degraded', (out) => out.degraded && (out.degraded.message = 'all is well')],
    ['ec2', (out) => (out.ec2 = [...(out.ec2 ?? []), 'DescribeImages id=ami-1'])],
    ['secretUpdated', (out) => out.decision === 'updated' && (out.secretUpdated = { name: 'another' })],
  ]
  it.each(wrong)('differs where %s is another', (field, change) => {
    for (const { id } of table.rows) {
      const changed = row(id)
      if (!change(changed.out)) continue
      expect([id, play(changed).difference?.at.split(/[.[]/)[0]]).toEqual([id, field])
    }
  })

  it('differs where a written field is another, is missing, or stays that should go', () => {
    const changed = row('AWS/unknown-providerSpec-field')
    const value = at(
      changed.out.patches,
      'machinesets/demo-worker-a',
      'spec',
      'template',
      'spec',
      'providerSpec',
      'value',
    )
    const patch = value as JsonObject
    patch.deviceIndex = 1
    expect(play(changed).difference?.at).toContain('deviceIndex')
    patch.deviceIndex = 0
    delete patch.someFutureField
    expect(play(changed).difference?.at).toContain('someFutureField')
  })

  it('differs where the reason is another', () => {
    for (const { id, out } of table.rows) {
      const changed = row(id)
      if (out.decision !== 'error' || !out.reason) continue
      const other = out.reason.includes('does not match any vCenter')
        ? 'failed to fetch arch'
        : 'does not match any vCenter'
      changed.out.reason = `error syncing MAPI MachineSet demo-worker-a: failed to reconcile machineset demo-worker-a, err: ${other}`
      expect([id, play(changed).difference?.at]).toEqual([id, 'reason.demo-worker-a'])
    }
    for (const { id, out } of table.rows.filter((r) => r.out.decision === 'skipped' && r.out.log)) {
      const changed = row(id)
      const owned = out.log!.some((line) => line.includes('OwnerReference'))
      changed.out.log = [
        owned ? 'machineset demo-worker-a has a windows os label' : 'machineset demo-worker-a has OwnerReference: A/b',
      ]
      expect([id, play(changed).difference?.at]).toEqual([id, 'log of demo-worker-a'])
    }
  })

  it('is settled by its own patch: the next pass finds nothing to do', () => {
    for (const { id, out } of table.rows) {
      if (out.decision !== 'updated' || id.startsWith('VSphere')) continue
      const next = row(id)
      next.in.machineSets = [merged(next.in.machineSets[0]!, out.patches!['machinesets/demo-worker-a'] as JsonObject)]
      for (const key of ['images', 'patches', 'log', 'secretUpdated'] as const) delete next.out[key]
      next.out.decision = 'unchanged'
      const found = play(next).difference
      expect([id, found && !found.at.startsWith('ec2') ? found : undefined]).toEqual([id, undefined])
    }
  })

  it('differs where a row is not one, and does not stop there', async () => {
    const rows = [
      { id: 'empty' },
      7,
      row('AWS/current'),
      { ...row('AWS/current'), in: { ...row('AWS/current').in, configMap: 'x' } },
    ]
    const played = await playTable('boot-images.json', JSON.stringify({ ...table, rows }))
    expect(played.map((p) => !p.difference)).toEqual([false, false, true, false])
    await expect(playTable('boot-images.json', '{"rows":[]}')).rejects.toThrow('it has no rows')
  })
})

/** Read in the operator's code, and in no row of the table. */
describe('rows that were never recorded', () => {
  const asked = (id: string, change: (changed: BootImageRow) => void): string | undefined => {
    const changed = row(id)
    changed.out.decision = 'nothing of this'
    change(changed)
    return play(changed).difference?.ours
  }
  it.each<[string, string, (spec: JsonObject) => unknown, string]>([
    ['an empty id, which AWS is asked about', 'AWS/outdated', (s) => (s.ami = { id: '' }), 'error'],
    ['an id that is null', 'AWS/outdated', (s) => (s.ami = { id: null }), 'skipped'],
    ['a field of another kind', 'AWS/outdated', (s) => (s.deviceIndex = 'one'), 'error'],
    ['a secret without a name', 'AWS/outdated', (s) => (s.userDataSecret = {}), 'error'],
    ['an image of another region', 'AWS/outdated', (s) => (s.placement = { region: 'eu-west-1' }), 'error'],
    ['a disk that is null', 'GCP/outdated', (s) => (s.disks = [null]), 'crash'],
    ['a boot disk without an image', 'GCP/outdated', (s) => (s.disks = [{ boot: true }]), 'skipped'],
    ['disks that are no list', 'GCP/outdated', (s) => (s.disks = {}), 'error'],
    ['no image at all', 'Azure/current', (s) => delete s.image, 'error'],
    ['no workspace', 'VSphere/vcenter/current', (s) => delete s.workspace, 'crash'],
    [
      'a relative folder',
      'VSphere/vcenter/template-outside-folder',
      (s) => ((s.workspace as JsonObject).folder = 'other'),
      'unchanged',
    ],
    [
      'a pool with a dot in its path',
      'VSphere/vcenter/current',
      (s) => ((s.workspace as JsonObject).resourcePool += '/.'),
      'unchanged',
    ],
  ])('%s', (_, id, change, decision) => {
    expect(asked(id, (changed) => change(specOf(changed)))).toBe(JSON.stringify(decision))
  })

  it.each<[string, string, (given: BootImageRow['in']) => unknown, string]>([
    ['no Infrastructure', 'GCP/outdated', (i) => (i.infrastructure = null), 'error'],
    [
      'a vCenter that Infrastructure does not list',
      'VSphere/vcenter/current',
      (i) => {
        const part = at(i.infrastructure, 'spec', 'platformSpec', 'vsphere') as JsonObject
        part.vcenters = []
      },
      'error',
    ],
    [
      'a configuration that was not taken up',
      'GCP/outdated',
      (i) => (i.machineConfiguration.metadata = { name: 'cluster', generation: 2 }),
      'pass-error',
    ],
    [
      'an update that failed half way',
      'GCP/outdated',
      (i) => (i.clusterVersion = { status: { history: [{ state: 'Partial', version: '4.22.5' }] } }),
      'deferred',
    ],
  ])('%s', (_, id, change, decision) => {
    expect(asked(id, (changed) => change(changed.in))).toBe(JSON.stringify(decision))
  })

  it.each<[object, string]>([
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }, 'pass-error'],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['1'] }] }, 'pass-error'],
    [{ matchLabels: { 'not a key': '1' } }, 'pass-error'],
    [{ matchLabels: { no: 'match' }, matchExpressions: [{ key: 'a', operator: 'Bogus' }] }, 'pass-error'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, 'updated'],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, 'updated'],
  ])('a selector %j', (machineResourceSelector, decision) => {
    const managers = [
      {
        resource: 'machinesets',
        apiGroup: 'machine.openshift.io',
        selection: { mode: 'Partial', partial: { machineResourceSelector } },
      },
    ]
    const status = { managedBootImagesStatus: { machineManagers: managers } } as unknown as JsonObject
    expect(asked('GCP/outdated', (changed) => (changed.in.machineConfiguration.status = status))).toBe(
      JSON.stringify(decision),
    )
  })

  it.each([
    ['2.0.0', 'updated'],
    ['2.3.0', 'error'],
    ['2.2', 'error'],
    ['3', 'updated'],
  ])('user data of Ignition %s', (version, decision) => {
    const catalog = structuredClone(table.catalog)
    catalog.secrets['worker-user-data']!.data = { userData: JSON.stringify({ ignition: { version } }) }
    const changed = row('GCP/outdated')
    changed.out.decision = 'nothing of this'
    expect(play(changed, catalog).difference?.ours).toBe(JSON.stringify(decision))
  })

  it('takes the newest of the Marketplace images of a version', () => {
    const catalog = structuredClone(table.catalog)
    const newest = {
      ...catalog.amis.find((ami) => ami.id === 'ami-0mk-ocp-96b')!,
      id: 'ami-newest',
      created: '2026-03-01T00:00:00.000Z',
    }
    catalog.amis.push(newest, {
      ...newest,
      id: 'ami-elsewhere',
      region: 'eu-west-1',
      created: '2026-04-01T00:00:00.000Z',
    })
    expect(play(row('AWS/marketplace/ocp-94'), catalog).difference?.ours).toBe('"ami-newest"')
  })

  it('without the gate a control plane is not looked at, and nothing is recorded', () => {
    const plane = row('cpms/GCP/outdated/all')
    plane.in.gates = []
    expect(play(plane).difference?.at).toBe('images[0]')
    const set = row('GCP/current')
    set.in.gates = []
    expect(play(set).difference?.at).toBe('recorded.ocpVersion')
    expect(text(set.out.recorded, 'ocpVersion')).toBe('4.22.3')
  })
})
