import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { ManagedWish } from '@/lib/domain/boot-images/managed/plan'
import type { JsonObject } from '@/lib/domain/json'
import { requireManaging } from './record'
import { confirmedBy, managedToConfirm, outgrown, requireConfirmed, sentenceOf, toConfirm } from './to-confirm'
import { generateBootImages } from './testing'

useTestDatabase()
beforeAll(() => generateBootImages(2))

const cardOf = (name: string) => db().openShiftCluster.findFirstOrThrow({ where: { cluster: { name } } })
async function asked(cluster: string, version: string, confirmed: string | null) {
  const reasons = toConfirm(await cardOf(cluster), { action: 'acknowledge', versionKind: 'OCPVersion', version })
  requireConfirmed(reasons, confirmed, 'version')
  return confirmedBy(reasons)
}
const CLOSES = '4.12.0 is below the floor 4.13.0: this closes updates beyond 4.22, which boot images do not close now.'

test('below the floor is confirmed where boot images keep nothing closed', async () => {
  await expect(asked('ocp-000', '4.12.0', null)).rejects.toThrow(CLOSES)
  await expect(asked('ocp-000', '4.12.0', CLOSES.replace('4.12.0', '4.12.1'))).rejects.toThrow(CLOSES)
  expect(await asked('ocp-000', '4.12.0', CLOSES)).toEqual({ closingConfirmed: true })
  expect(await asked('ocp-000', '4.16.0', CLOSES)).toEqual({})
})

test('a version that the operator cannot read is confirmed, whether or not updates are open, also before not all sets are managed', async () => {
  const hides =
    'The operator cannot read 04.016.0, so it would compare nothing: this hides the limit without meeting it.'
  for (const cluster of ['ocp-000', 'ocp-001']) {
    await expect(asked(cluster, '04.016.0', null)).rejects.toThrow(hides)
    expect(await asked(cluster, '04.016.0', hides)).toEqual({ unreadableConfirmed: true })
  }
  const skew = { action: 'acknowledge', versionKind: 'OCPVersion', version: '04.016.0' } as const
  expect(sentenceOf(managedToConfirm(await cardOf('ocp-000'), { sets: { mode: 'None' }, skew }))).toBe(hides)
})

test('where they are closed already, nothing would be closed by it', async () => {
  expect(await asked('ocp-001', '4.12.0', null)).toEqual({})
})

test('a return that closes what is open is confirmed, with and without all machine sets managed', async () => {
  const returned = (card: OpenShiftCluster, manageAll: boolean) =>
    sentenceOf(toConfirm(card, { action: 'automatic' }, manageAll))
  const of = async (more: object, manageAll = false) => {
    const card = await cardOf('ocp-000')
    const evidence = {
      ...{ platform: { type: 'AWS', azureStack: false, topology: 'HighlyAvailable' }, streamVersion: '4.22.4' },
      history: [{ state: 'Completed', version: '4.12.7' }],
      sets: { skipped: [], failing: [], undecided: [], outdated: [], ...more },
    }
    const managed = { spec: [], effective: [], words: 'off' }
    const now = { ...card, mode: 'None', specSkew: { mode: 'None' }, managed, evidence }
    // Having all machine sets managed leads there only together with a return, or where nothing is configured.
    const all = (wish: Partial<ManagedWish>, specSkew: JsonObject | null) =>
      managedToConfirm({ ...now, specSkew }, { sets: { mode: 'All' }, ...wish }).closing
    expect(all({}, { mode: 'None' })).toBeNull()
    expect(all({}, null)).toBe(returned(now, true))
    expect(all({ skew: { action: 'automatic' } }, { mode: 'None' })).toBe(returned(now, true))
    expect(all({ sets: { mode: 'None' } }, null)).toBeNull()
    return returned(now, manageAll)
  }
  expect(await of({})).toBe(
    'This closes updates beyond 4.22, which boot images do not close now. Boot image 4.12.7 is below the floor 4.13.0. Updates are closed.',
  )
  expect(await of({}, true)).toBeNull()
  expect(await of({ failing: ['a'] }, true)).toContain('a cannot be updated')
  expect(await of({ skipped: ['a'] }, true)).toContain('4.12.7 is below the floor')
  expect(returned(await cardOf('ocp-001'), false)).toBeNull()
})

test('what it arrives at before the operator has said a mode is confirmed as well, whichever machine sets are managed', async () => {
  const platform = { type: 'AWS', azureStack: false, topology: 'HighlyAvailable' }
  const sets = { skipped: [], failing: [], undecided: [], outdated: [] }
  const history = [{ state: 'Completed', version: '4.12.7' }]
  const evidence = { platform, history, sets, streamVersion: '4.22.4' }
  const managed = { spec: null, effective: null, words: '' }
  const card = { ...(await cardOf('ocp-000')), mode: null, specSkew: null, managed, evidence }
  const closing = (wish: ManagedWish) => managedToConfirm(card, wish).closing
  const selector = { matchLabels: { a: 'b' } }
  for (const some of [{ mode: 'None' as const }, { mode: 'Partial' as const, selector }]) {
    expect(closing({ sets: some })).toContain('4.12.7 is below the floor 4.13.0')
    expect(closing({ sets: some, skew: { action: 'opt-out' } })).toBeNull()
  }
  expect(closing({ sets: { mode: 'All' } })).toBeNull()
})

test('what the evidence contradicts is confirmed for what it says, and holds for nothing that comes later', async () => {
  const card = await cardOf('ocp-000')
  const says = async (version: string) => {
    const items = [
      {
        ...{ source: 'machine-sets', sure: 'likely', sentence: `workers still has the image from ${version}.` },
        image: { kind: 'OCPVersion', version },
      },
    ]
    const evidence = { ...(card.evidence as object), items }
    await db().openShiftCluster.update({ where: { clusterId: card.clusterId }, data: { evidence } })
  }
  const contra = (version: string, of: string) =>
    `By the evidence ${version} is not the oldest boot image in use: workers still has the image from ${of}.`
  await says('4.16.0')
  await expect(asked('ocp-000', '4.20.0', null)).rejects.toThrow(contra('4.20.0', '4.16.0'))
  expect(await asked('ocp-000', '4.20.0', contra('4.20.0', '4.16.0'))).toEqual({ againstConfirmed: true })
  expect(await asked('ocp-000', '4.16.0', null)).toEqual({})
  // The same version, and other evidence by the time that somebody presses.
  await says('4.17.0')
  await expect(asked('ocp-000', '4.20.0', contra('4.20.0', '4.16.0'))).rejects.toThrow(contra('4.20.0', '4.17.0'))

  // Below the floor as well: neither word stands for the other.
  await says('4.12.0')
  const closes = CLOSES.replace('4.12.0', '4.12.9')
  const both = `${closes} ${contra('4.12.9', '4.12.0')}`
  for (const one of [closes, contra('4.12.9', '4.12.0')])
    await expect(asked('ocp-000', '4.12.9', one)).rejects.toThrow(both)
  expect(await asked('ocp-000', '4.12.9', both)).toEqual({ closingConfirmed: true, againstConfirmed: true })
  // By the time that it is sent one of both may be over; nothing may have come.
  const reasons = { newer: null, closing: closes, against: null, unreadable: null }
  expect(outgrown(reasons, { confirmed: both })).toBeNull()
  for (const confirmed of [null, undefined, contra('4.12.9', '4.12.0')])
    expect(outgrown(reasons, { confirmed })).toBe(
      `${closes} Nothing was recorded: look again, and confirm it where it is meant.`,
    )
})

test('machine sets are not had managed where the API server takes no such entry', () => {
  const on = (type: string) => () =>
    requireManaging({ platform: type, evidence: { platform: { type, azureStack: false, topology: '' } } })
  expect(on('BareMetal')).toThrow('does not update boot images on bare metal')
  expect(on('AWS')).not.toThrow()
})
