import { beforeAll, expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { workOff } from '@/lib/db/read-model/marked'
import { NODE_IMAGES } from '@/lib/db/read-model/node-images'
import { useTestDatabase } from '@/lib/db/testing'
import { FLOOR_NOW } from '@/lib/domain/skew/floors'
import type { Ctx } from '../context'
import { exportBootImages } from './export'
import { listBootImages } from './list'
import { listImageSets } from './list-sets'
import { listNodeImages } from './list-node-images'
import { generateBootImages, generateImageMachines } from './testing'

useTestDatabase()
const viewer: Ctx = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'viewer' } }
const sets = (q: string) => listImageSets(viewer, { q, limit: 500 })
beforeAll(async () => {
  await generateBootImages(12)
  await generateImageMachines(1)
})

test('a set’s image is told, counted, found and taken out in the word that its date says, as that of its nodes', async () => {
  const [old] = (await sets('state:outdated')).sets
  const { id, cluster } = old!
  const is = (data: object) => db().bootImageSet.update({ where: { id }, data })
  const told = async (state: string) => {
    const { facets, sets: rows } = await sets(`cluster:${cluster}`)
    const { clusters } = await listBootImages(viewer, { q: `sets:${state} cluster:${cluster}` })
    const counts = [facets.state.find(({ value }) => value === state)?.count, clusters[0]?.sets[state]]
    const found = (await sets(`state:${state} cluster:${cluster}`)).sets.map((set) => set.id)
    return { counts, found, state: rows.find((set) => set.id === id)?.state }
  }
  const [major, minor] = old!.streamVersion!.split('.').map(Number)
  const alone = (state: string) => ({ counts: [1, 1], found: [id], state })

  await is({ dated: `${major}.${minor! - 1}.0` })
  expect(await told('outdated')).toEqual(alone('outdated'))
  await is({ dated: `${major}.${minor! + 1}.0` })
  expect(await told('newer')).toEqual(alone('newer'))
  let csv = ''
  for await (const piece of exportBootImages(viewer, { of: 'sets', as: 'csv', q: 'state:newer' }).pieces) csv += piece
  expect(csv).toContain(',newer than the release,')
  await is({ dated: '4.9.0' })
  expect(await told('below')).toEqual(alone('below'))

  const reasonOf = async () => (await sets(`cluster:${cluster}`)).sets.find((set) => set.id === id)?.reason
  const open =
    'Not the release image: an older one, a Marketplace image or one of your own. On AWS the cluster cannot tell which.'
  const off = 'Boot image updates are off for this set.'
  await is({ state: 'unknown', reason: `${open} ${off}` })
  expect(await reasonOf()).toBe(`Not the image of this release, and older: see the evidence. ${off}`)
  await is({ state: 'unknown', dated: `${major}.${minor! - 1}.0` })
  expect(await told('outdated')).toEqual(alone('outdated'))
  await is({ dated: null })
  expect((await told('unknown')).state).toBe('unknown')
  expect(await reasonOf()).toBe(`${open} ${off}`)
})

/** A machine set of that cluster with that image, the machines of which started from it, and what its cluster has: how both are told. */
async function toldOf(cluster: string, set: object, machines: object, has: object, rhcos: string[] | null) {
  const first = (await sets(`cluster:${cluster} kind:workers`)).sets[0]!
  const { clusterId, name } = await db().bootImageSet.update({ where: { id: first.id }, data: set })
  const { evidence } = await db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })
  const data = { ...has, evidence: { ...(evidence as object), rhcos } }
  await db().openShiftCluster.update({ where: { clusterId }, data })
  await db().machine.updateMany({ where: { clusterId, machineSet: name }, data: machines })
  while ((await workOff(pool(), NODE_IMAGES)) > 0);
  const { images } = await listNodeImages(viewer, { q: `cluster:${cluster}`, limit: 500 })
  const of = (await sets(`cluster:${cluster}`)).sets.find(({ id }) => id === first.id)!
  return [of.state, ...images.filter((image) => image.name === name).map((image) => image.verdict)]
}
const onGcp = (rhcos: string) => `projects/rhcos-cloud/global/images/rhcos-${rhcos.replaceAll('.', '-')}-gcp-x86-64`

test.each([
  ['a copy of the release’s own', 'ocp-001', '9.8.20260428-0', {}, ['9.8.20260428-0'], 'current'],
  [
    ...['an old one where the release has no limit', 'ocp-006', '410.84.202205191234-0'],
    ...[{ floorOcp: null, floorRhel: null }, null, 'outdated'],
  ],
] as [string, string, string, object, string[] | null, string][])(
  'a set and the nodes from its image have one word: %s',
  async (_, cluster, version, has, rhcos, word) => {
    const [image, dated] = [onGcp(version), `RHCOS ${version}`]
    const set = { state: 'outdated', current: image, dated, datedSure: 'certain' }
    expect(await toldOf(cluster, set, { bootImage: image, bootImageVersion: dated }, has, rhcos)).toEqual([word, word])
    const unknown = { ...set, state: 'unknown' }
    expect(await toldOf(cluster, unknown, { bootImage: image }, has, rhcos)).toEqual([word, word])
  },
)

test('a copy for other machines is not told as the release’s own: nothing starts from it', async () => {
  const version = '9.8.20260428-0'
  const set = { state: 'outdated', current: onGcp(version), dated: `RHCOS ${version}`, arch: 'aarch64' }
  expect((await toldOf('ocp-011', set, {}, {}, [version]))[0]).toBe('outdated')
})

test('a name that says no more than the minor release makes neither a set nor its nodes older than a patch release of it', async () => {
  const image = 'redhat:rh-ocp-worker:rh-ocp-worker:4.22.2026031114'
  const set = { state: 'unknown', current: image, dated: '4.22.0', datedSure: 'likely' }
  const machines = { bootImage: image, bootImageVersion: '4.22.0' }
  expect(await toldOf('ocp-007', set, machines, { platform: 'Azure' }, null)).toEqual(['unknown', 'unknown'])
})

test('with another release of its cluster a set is told anew', async () => {
  const [set] = (await sets('cluster:ocp-002 kind:workers')).sets
  const { clusterId } = await db().bootImageSet.update({
    where: { id: set!.id },
    data: { state: 'unknown', dated: '4.22.4' },
  })
  const { evidence } = await db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })
  const told = async (data: object) => {
    await db().openShiftCluster.update({ where: { clusterId }, data })
    return (await db().bootImageSet.findUniqueOrThrow({ where: { id: set!.id } })).told
  }
  const streams = (streamVersion: string) => ({ evidence: { ...(evidence as object), streamVersion } })
  expect(await told(streams('4.22.4'))).toBe('unknown')
  expect(await told(streams('4.22.5'))).toBe('outdated')
  expect(await told(streams('4.22.3'))).toBe('newer')
  expect(await told({ floorOcp: '4.23.0' })).toBe('below')
})

test('where a release has no limit, a set goes by that of the newest', async () => {
  const [set] = (await sets('cluster:ocp-003 kind:workers')).sets
  const where = { id: set!.id }
  const { clusterId } = await db().bootImageSet.update({ where, data: { state: 'unknown' } })
  await db().openShiftCluster.update({ where: { clusterId }, data: { floorOcp: null, floorRhel: null, evidence: {} } })
  const told = async (dated: string) => (await db().bootImageSet.update({ where, data: { dated } })).told
  const [major, minor] = FLOOR_NOW.ocp.split('.').map(Number)
  expect(await told(FLOOR_NOW.ocp)).toBe('unknown')
  expect(await told(`${major}.${minor! - 1}.9`)).toBe('outdated')
  const [rhel, dot] = FLOOR_NOW.rhel.split('.').map(Number)
  expect(await told(`RHCOS ${rhel}.${dot}.20260428-0`)).toBe('unknown')
  expect(await told(`RHCOS ${rhel}.${dot! - 1}.20260428-0`)).toBe('outdated')
})

test('by risk a set below the floor stands before the old, and one newer than the release behind what is not known', async () => {
  const found = (await sets('cluster:ocp-008 kind:workers')).sets
  const rows = [
    { state: 'unknown', dated: '4.9.0' },
    { state: 'outdated', dated: '4.14.0' },
    { state: 'unknown', dated: null },
    { state: 'outdated', dated: '4.99.0' },
  ]
  const data = { managed: true, outcome: 'update' }
  await Promise.all(
    rows.map((row, n) => db().bootImageSet.update({ where: { id: found[n]!.id }, data: { ...data, ...row } })),
  )
  const mine = new Set(found.slice(0, rows.length).map(({ id }) => id))
  const order = (await sets('cluster:ocp-008')).sets.filter(({ id }) => mine.has(id)).map(({ state }) => state)
  expect(order).toEqual(['below', 'outdated', 'unknown', 'newer'])
})
