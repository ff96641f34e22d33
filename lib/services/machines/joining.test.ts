import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { bootImageSummary } from '@/lib/db/queries/boot-images'
import { clustersOutsideSkew } from '@/lib/db/queries/fleet'
import { workOff } from '@/lib/db/read-model/marked'
import { NODE_IMAGES } from '@/lib/db/read-model/node-images'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { NodeRisk } from '@/lib/domain/skew/node-risk'
import { riskScore } from '@/lib/domain/skew/risk'
import { standing, type SkewVerdict } from '@/lib/domain/skew/verdict'
import type { Ctx } from '../context'
import { needsYou } from '../fleet/needs-you'
import { listBootImages } from '../skew/list'
import { listNodeImages } from '../skew/list-node-images'
import { exportBootImages } from '../skew/export'
import { diagnoses } from './joining'
import { listMachines } from './list-machines'

useTestDatabase()
const viewer: Ctx = { actor: { kind: 'user', id: 'v', name: 'Vi', role: 'viewer' } }
const nobody: Ctx = { actor: { kind: 'user', id: 'n', name: 'No', role: null as never } }
const NAMESPACE = 'openshift-machine-api'
const RELEASE = '2026-11-01T00:00:00Z'
let clusterId = ''

interface Cluster {
  platform?: string
  floor?: string | null
  completedAt?: string | null
}
async function cluster(name: string, { platform = 'AWS', floor = '4.13.0', completedAt = RELEASE }: Cluster = {}) {
  const made = await db().managementCluster.create({ data: { name, server: 'https://x', state: 'connected' } })
  clusterId = made.id
  await db().openShiftCluster.create({
    data: {
      ...{ clusterId, version: '4.22.4', platform, floorOcp: floor, floorRhel: floor && '9.2' },
      evidence: { completedAt, streamVersion: '4.22.4', streamRelease: '9.8.20260714-0' },
    },
  })
}
const set = (name: string, data: Partial<Prisma.BootImageSetUncheckedCreateInput>) =>
  db().bootImageSet.create({
    data: {
      ...{ id: randomUUID(), clusterId, kind: 'MachineSet', namespace: NAMESPACE, name, replicas: 3 },
      ...{ state: 'outdated', wanted: 'ami-new', outcome: 'update', ...data },
    },
  })

interface Machine {
  set?: string | null
  image?: string | null
  version?: string
  /** ISO */
  made?: string
  stuck?: boolean
  plane?: boolean
}
async function machine(name: string, given: Machine = {}): Promise<string> {
  const { set = 'old', image = 'ami-old', version, made = '2026-03-01T00:00:00Z', stuck = false, plane = false } = given
  const kind = plane ? 'ControlPlaneMachineSet' : set ? 'MachineSet' : null
  const { id } = await db().machine.create({
    data: {
      ...{
        id: randomUUID(),
        clusterId,
        provider: 'machine.openshift.io',
        namespace: NAMESPACE,
        name,
        resourceVersion: '1',
      },
      ...{
        workloadCluster: 'infra',
        groupKind: kind,
        groupName: plane ? 'cluster' : set,
        machineSet: plane ? null : set,
      },
      ...{ controlPlane: plane, node: stuck ? null : `node-${name}`, createdAt: made, sentence: 'Running.' },
      ...{ bootImage: image, bootImageVersion: version ?? null, phase: stuck ? 'Provisioned' : 'Running' },
      ...{
        state: stuck ? 'failed' : 'ready',
        severity: stuck ? 85 : 0,
        error: stuck ? 'Provisioned, without a node' : null,
      },
      ...(stuck && {
        provisionedSince: '2026-11-20T06:00:00Z',
        joining: { instance: 'running', userData: 'worker-user-data', reason: null, message: null },
      }),
    },
  })
  return id
}
const why = async (id: string) => (await diagnoses([id])).get(id)

beforeEach(async () => void (await db().managementCluster.deleteMany()))

test('a set tells how old its image is, others that newer ones join; which is said where machines are listed and to whom it may concern', async () => {
  await cluster('m')
  await set('old', { current: 'ami-old', dated: '4.16.0', datedSure: 'likely' })
  await set('new', { current: 'ami-new', state: 'current', dated: '4.22.4', datedSure: 'certain' })
  const stuck = await machine('old-1', { stuck: true, made: '2026-11-20T05:00:00Z' })
  await machine('old-2')
  expect(await why(stuck)).toMatchObject({ certainty: 'unknown' })
  await machine('new-1', { set: 'new', image: 'ami-new', made: '2026-11-10T00:00:00Z' })
  expect(await why(stuck)).toMatchObject({
    certainty: 'likely',
    sentence: expect.stringContaining(
      'ami-old is of 4.16.0, and only newer images have joined since the cluster runs 4.22.4',
    ),
  })
  const { machines } = await listMachines(viewer, { q: 'state:failed' })
  expect(machines[0]).toMatchObject({ id: stuck, troubleWords: 'never joined, most likely because of its boot image' })
  const need = (await needsYou(viewer, {})).find(({ kind }) => kind === 'failed')
  expect(need).toMatchObject({
    sentence: 'old-1 never joined, most likely because of its boot image',
    detail: expect.stringContaining('ami-old'),
  })
  const risk = async () => {
    await workOff(pool(), NODE_IMAGES)
    return (await listBootImages(viewer, {})).clusters.map((c) => [c.nodeRisk, c.nodeRiskWhy])
  }
  expect(await risk()).toEqual([['likely', expect.stringMatching(/^A machine never joined/)]])
  expect(await bootImageSummary()).toMatchObject({ atRisk: 1 })
  // Its set gets the image of the release, which is the way out: what was told of the old one is not forgotten by that.
  const former = [{ image: 'ami-old', dated: '4.16.0', sure: 'likely' }]
  const newer = { current: 'ami-new', state: 'current', dated: '4.22.4', datedSure: 'certain' }
  await db().bootImageSet.updateMany({ where: { name: 'old' }, data: { ...newer, former } })
  expect(await why(stuck)).toMatchObject({ certainty: 'likely', sentence: expect.stringContaining('4.16.0') })
  const { images } = await listNodeImages(viewer, { q: 'image:ami-old' })
  expect(await risk()).toEqual([['unknown', '']])
  // Another set has the very image still; where it is the release's own for that one, nothing is to be feared.
  await set('like', { current: 'ami-old', dated: '4.16.0', datedSure: 'likely' })
  expect(await risk()).toEqual([['likely', expect.stringContaining('an image which a machine set still has')]])
  await db().bootImageSet.updateMany({ where: { name: 'like' }, data: { state: 'current' } })
  expect(await risk()).toEqual([['unknown', '']])
  expect(images[0]).toMatchObject({ dated: '4.16.0', datedSure: 'likely', verdict: 'outdated' })
  // Another of the same image joins after all.
  await machine('old-3', { made: '2026-11-12T00:00:00Z' })
  expect(await why(stuck)).toMatchObject({ certainty: 'not-the-image' })
})

test('a control plane’s machine that never joined is said as one of any machine set, while the set has its image', async () => {
  await cluster('m')
  const plane = { kind: 'ControlPlaneMachineSet', name: 'cluster', dated: '4.16.0', datedSure: 'likely' }
  await set('cluster', { ...plane, current: 'ami-old' })
  await set('new', { current: 'ami-new', state: 'current', dated: '4.22.4', datedSure: 'certain' })
  await machine('master-9', { plane: true, stuck: true, made: '2026-11-20T05:00:00Z' })
  const risk = async () => {
    await workOff(pool(), NODE_IMAGES)
    return (await listBootImages(viewer, {})).clusters.map((c) => c.nodeRisk)
  }
  expect(await risk()).toEqual(['likely'])
  await db().bootImageSet.updateMany({ where: { name: 'cluster' }, data: { current: 'ami-new', state: 'current' } })
  expect(await risk()).toEqual(['unknown'])
  await db().bootImageSet.updateMany({ where: { name: 'cluster' }, data: { current: 'ami-old', state: 'outdated' } })
  // Machines without a set of this name are no business of it.
  await db().machine.updateMany({ data: { controlPlane: false, groupKind: null, groupName: null } })
  expect(await risk()).toEqual(['unknown'])
})

test('of an image with which others joined before, it is told under which release the last of them did', async () => {
  await cluster('m')
  const at = (version: string, completionTime: string) => ({ state: 'Completed', version, completionTime })
  const history = [at('4.22.4', RELEASE), at('4.20.9', '2026-02-01T00:00:00Z'), at('4.18.2', '2025-06-01T00:00:00Z')]
  const evidence = { completedAt: RELEASE, streamVersion: '4.22.4', streamRelease: '9.8.20260714-0', history }
  await db().openShiftCluster.update({ where: { clusterId }, data: { evidence } })
  await set('old', { current: 'ami-old', dated: '4.12.7', datedSure: 'certain' })
  const stuck = await machine('old-1', { stuck: true, made: '2026-11-20T05:00:00Z' })
  const said = async () => (await why(stuck))!.evidence.map(({ sentence }) => sentence).join(' ')
  await machine('old-2', { made: '2025-08-01T00:00:00Z' })
  expect(await said()).toMatch(/one did before, while it ran 4\.18\.2\./)
  expect(await said()).toContain('composefs')
  await machine('old-3', { made: '2026-03-01T00:00:00Z' })
  expect(await said()).toMatch(/2 did before, the last while it ran 4\.20\.9\./)
  expect(await said()).not.toContain('composefs')
  expect(await why(stuck)).toMatchObject({ certainty: 'likely' })
})

test('clusters where a machine never joined stand in the list where the risk that is said of them belongs, page by page', async () => {
  const expected: [name: string, risk: number][] = []
  const put = async (name: string, [verdict, nodes, isFlagged, minors]: Parameters<typeof scored>, never: boolean) => {
    await cluster(name)
    const data = { verdict, nodeRisk: nodes, risk: scored(verdict, nodes, isFlagged, minors) }
    await db().openShiftCluster.update({ where: { clusterId }, data })
    await set('old', { current: 'ami-old', dated: '4.16.0', datedSure: 'likely' })
    if (never) await machine('old-1', { stuck: true, made: '2026-11-20T05:00:00Z' })
    expected.push([name, never ? scored(verdict, 'likely', isFlagged, minors) : data.risk])
  }
  await put('quiet', ['ok', 'no', false, 9], false)
  await put('flagged', ['ok', 'no', true, 9], false)
  await put('fails', ['not-enforced', 'likely', false, 3], false)
  await put('unread', ['unknown', 'unknown', false, null], false)
  await put('closed', ['out-of-skew', 'possible', false, -1], false)
  await put('never', ['ok', 'no', false, 9], true)
  await put('never, flagged', ['ok', 'possible', true, 9], true)
  await put('failing', ['update-failing', 'possible', true, 2], false)
  await put('failing, far', ['update-failing', 'possible', true, -3], false)
  await put('never, closed', ['update-failing', 'no', false, 2], true)
  await put('never, and likely before', ['ok', 'likely', false, 12], true)
  while ((await workOff(pool(), NODE_IMAGES)) > 0);
  const names: string[] = []
  for (let after: string | null | undefined; after !== null;) {
    const page = await listBootImages(viewer, { limit: 2, ...(after && { after }) })
    names.push(...page.clusters.map(({ name }) => name))
    after = page.after
  }
  const first = expected.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name)
  expect(names).toEqual(first)
  expect(names.indexOf('never')).toBeLessThan(names.indexOf('flagged'))
  // So do those whose updates they keep closed among what needs somebody.
  const closed = await clustersOutsideSkew({})
  expect(closed.map(({ cluster: name }) => name)).toEqual(first.filter((name) => /clos|fail(?!s)/.test(name)))
})
const scored = (verdict: SkewVerdict, nodes: NodeRisk, isFlagged: boolean, minors: number | null) =>
  riskScore(blocked(verdict), nodes, isFlagged, minors === null ? null : { minors, of: 'OpenShift' })
const blocked = (verdict: SkewVerdict) => ({ verdict, blocks: /^(out-of|update-)/.test(verdict) ? 'closed' : null })

test('of several, as many as do not join because of their image are named', async () => {
  await cluster('m', { platform: 'GCP' })
  const old = { image: 'projects/rhcos-cloud/global/images/rhcos-410', version: 'RHCOS 410.84.202201251210-0' }
  const ids = [await machine('a', { ...old, stuck: true }), await machine('b', { ...old, stuck: true })]
  expect([...(await diagnoses(ids)).values()].map(({ certainty }) => certainty)).toEqual(['boot-image', 'boot-image'])
  const said = async () => (await needsYou(viewer, {})).find(({ kind }) => kind === 'failed')!.sentence
  expect(await said()).toBe('2 machines have failed because of their boot image')
  await db().machine.update({ where: { id: ids[1] }, data: { provisionedSince: null, joining: Prisma.DbNull } })
  expect(await said()).toBe('2 machines have failed, 1 of them because of its boot image')
})

test('the name of an image in a project of one’s own is no certain word of its age', async () => {
  await cluster('m', { platform: 'GCP' })
  const image = 'projects/acme/global/images/rhcos-410-84-202201251210-0-gcp-x86-64'
  const id = await machine('a', { image, version: 'RHCOS 410.84.202201251210-0', stuck: true })
  expect(await why(id)).toMatchObject({ certainty: 'likely' })
  await machine('b', { image: image.replace('acme', 'rhcos-cloud'), version: 'RHCOS 410.84.202201251210-0' })
  const { images } = await listNodeImages(viewer, {})
  expect(Object.fromEntries(images.map((one) => [one.image?.split('/')[1], one.datedSure]))).toEqual({
    acme: 'likely',
    'rhcos-cloud': 'certain',
  })
})

test.each<[string, Cluster, Machine, string]>([
  ['the image that the release wants', {}, { image: 'ami-new' }, 'not-the-image'],
  ['an image that no set knows', {}, { image: 'ami-else' }, 'unknown'],
  ['a template of vSphere, also where a set has it', { platform: 'VSphere' }, { image: 'ami-new' }, 'unknown'],
  ['an address on bare metal, also where a set has it', { platform: 'BareMetal' }, { image: 'ami-new' }, 'unknown'],
  ['no set', {}, { set: null, image: 'ami-else' }, 'unknown'],
  ['no release whose age is known', { completedAt: null }, {}, 'likely'],
  ['no floor of its own', { floor: null }, {}, 'likely'],
])('%s', async (_name, of, given, certainty) => {
  await cluster('m', of)
  await set('old', { current: 'ami-old', dated: '4.12.7', datedSure: 'likely' })
  const id = await machine('m-1', { ...given, stuck: true })
  expect(await why(id)).toMatchObject({ certainty })
  expect((await diagnoses([id, await machine('m-2')])).size).toBe(1)
})

test.each<[string, string, Machine, string]>([
  [
    'a build of the same release that is older than the release’s own',
    'GCP',
    { version: 'RHCOS 418.94.202503111400-0' },
    'a newer image',
  ],
  ['the release’s own build', 'GCP', { version: 'RHCOS 418.94.202511191518-0' }, 'the image of the release'],
  ['a later one', 'GCP', { version: 'RHCOS 9.8.20260714-0' }, 'the image of the release'],
  ['no age', 'GCP', {}, 'the image of the release'],
  ['nothing but its minor release', 'Azure', { version: '4.18.0' }, 'the image of the release'],
  ['nothing but a minor release before', 'Azure', { version: '4.17.0' }, 'a newer image'],
])('its set has the image of the release; its own tells %s', async (_what, platform, given, which) => {
  await cluster('m', { platform, floor: null })
  const rhcos = ['418.94.202511191518-0']
  const evidence = { completedAt: RELEASE, streamVersion: '4.18.20', streamRelease: rhcos[0], rhcos }
  await db().openShiftCluster.update({ where: { clusterId }, data: { version: '4.18.20', evidence } })
  await set('new', { current: 'its-image', state: 'current', dated: '4.18.20', datedSure: 'certain' })
  const found = await why(await machine('m-1', { set: 'new', image: 'another', stuck: true, ...given }))
  expect(found!.evidence.map(({ sentence }) => sentence)).toContain(
    `new starts machines from ${which} by now: its-image.`,
  )
})

const rows = async (input: object = {}) =>
  (await listNodeImages(viewer, input)).images.map((r) => [
    r.name,
    r.image,
    r.verdict,
    r.dated,
    r.machines,
    r.nodes,
    r.stuck,
  ])

test('nodes by what they started from, the worst first', async () => {
  await cluster('m')
  await set('old', { current: 'ami-old', dated: '4.16.0', datedSure: 'likely' })
  await set('new', { current: 'ami-new', state: 'current', dated: '4.22.4', datedSure: 'certain' })
  await set('first', { current: 'ami-first', dated: '4.12.7', datedSure: 'likely' })
  await machine('old-1')
  await machine('old-2', { stuck: true })
  await machine('old-3', { image: 'ami-first' })
  await machine('new-1', { set: 'new', image: 'ami-new' })
  await machine('new-2', { set: 'new', image: 'ami-gone' })
  await machine('none', { set: 'none', image: null })
  await machine('master-0', { plane: true, image: 'ami-old' })
  await db().configNode.create({
    data: {
      ...{ id: randomUUID(), clusterId, pool: 'worker', name: 'by-hand', phase: 'updated', sentence: '' },
      severity: 0,
    } as never,
  })
  expect(await rows()).toEqual([
    ['old', 'ami-old', 'outdated', '4.16.0', 2, 1, 1],
    ['old', 'ami-first', 'below', '4.12.7', 1, 1, 0],
    ['control plane', 'ami-old', 'outdated', '4.16.0', 1, 1, 0],
    ['', null, 'unknown', null, 0, 1, 0],
    ['new', 'ami-gone', 'unknown', null, 1, 1, 0],
    ['none', null, 'unknown', null, 1, 1, 0],
    ['new', 'ami-new', 'current', '4.22.4', 1, 1, 0],
  ])
  expect((await rows({ q: 'stuck:yes' })).map(([name]) => name)).toEqual(['old'])
  expect((await rows({ q: 'verdict:below,current', sort: 'name' })).map(([name]) => name)).toEqual(['new', 'old'])
  expect(await rows({ q: 'kind:no-machine' })).toHaveLength(1)
  expect(await rows({ q: 'image:ami-old set:old' })).toHaveLength(1)
  const { facets, total } = await listNodeImages(viewer, {})
  expect(total).toBe(7)
  expect(facets.verdict).toContainEqual({ value: 'outdated', count: 2 })
  // Page by page, in every order, each once.
  for (const sort of ['risk', 'name', 'machines', 'cluster', 'age']) {
    const seen: string[] = []
    for (let after: string | null | undefined; after !== null;) {
      const page = await listNodeImages(viewer, { sort, limit: 2, ...(after && { after }) })
      seen.push(...page.images.map(({ id }) => id))
      after = page.after
    }
    expect(new Set(seen).size, sort).toBe(7)
    expect(seen).toHaveLength(7)
  }
  const { pieces } = exportBootImages(viewer, { of: 'nodes', q: 'stuck:yes' })
  let csv = ''
  for await (const piece of pieces) csv += piece
  expect(csv.trimEnd().split('\r\n')).toHaveLength(2)
  await expect(listNodeImages(nobody, {})).rejects.toThrow()
})

test('the images of vSphere are not judged by the name of a template, and those of a name of their own are', async () => {
  await cluster('v', { platform: 'VSphere' })
  await set('old', { current: 'tpl', wanted: 'RHCOS 9.8.20260714-0', state: 'unknown' })
  await machine('v-1', { image: 'tpl' })
  await cluster('g', { platform: 'GCP' })
  await machine('g-1', { image: 'rhcos-410', version: 'RHCOS 410.84.202201251210-0' })
  expect(await rows()).toEqual([
    ['old', 'rhcos-410', 'below', 'RHCOS 410.84.202201251210-0', 1, 1, 0],
    ['old', 'tpl', 'unknown', null, 1, 1, 0],
  ])
})

test.each<[string, string, Machine, string]>([
  ['of no age', 'GCP', { image: 'projects/acme/global/images/golden-2026' }, 'unknown'],
  ['of no age, of a gallery', 'Azure', { image: '/subscriptions/s/images/golden/versions/9' }, 'unknown'],
  ['of no age, of an AMI', 'AWS', { image: 'ami-else' }, 'unknown'],
  ['of the very release, for another architecture', 'GCP', { version: 'RHCOS 9.8.20260714-0' }, 'current'],
  ['of a later build of the same day', 'GCP', { version: 'RHCOS 9.8.20260714-1' }, 'newer'],
  ['of a later day', 'GCP', { version: 'RHCOS 9.8.20260801-0' }, 'newer'],
  ['of a day before', 'GCP', { version: 'RHCOS 9.8.20260601-0' }, 'outdated'],
  ['of a release before', 'GCP', { version: 'RHCOS 418.94.202511191518-0' }, 'outdated'],
  ['of the same minor release, of which no more is told', 'Azure', { version: '4.22.0' }, 'unknown'],
  ['of a minor release before', 'Azure', { version: '4.21.0' }, 'outdated'],
])('a node of an image that is not its set’s, %s, on %s', async (_what, platform, given, verdict) => {
  await cluster('m', { platform })
  const evidence = { completedAt: RELEASE, streamVersion: '4.22.4', rhcos: ['9.8.20260714-0'] }
  await db().openShiftCluster.update({ where: { clusterId }, data: { evidence } })
  for (const state of ['current', 'outdated']) await set(state, { current: 'its-own', wanted: 'wanted', state })
  for (const of of ['current', 'outdated']) await machine(of, { set: of, image: 'another', ...given })
  expect((await rows()).map(([name, , found]) => [name, found])).toEqual([
    ['current', verdict],
    ['outdated', verdict],
  ])
})

test('the database compares with the floor as the rules do', async () => {
  const versions = [
    ...['4.12.7', '4.13.0', '4.9.33', '5.0.1', '10.2.3', 'RHCOS 9.2.20230101-0', 'RHCOS 9.1.20230101-0'],
    ...['RHCOS 10.0.20270101-0', 'RHCOS 412.86.202301311551-0', 'RHCOS 413.92.202303212200-0'],
    ...['RHCOS 46.82.202010011740-0', 'RHCOS 4.4.7', 'nonsense', 'RHCOS 411.8.202308081056-0'],
  ]
  const floor = { ocp: '4.13.0', rhel: '9.2', source: 'table' } as const
  const { rows: found } = await pool().query<{ v: string; below: boolean | null }>(
    `SELECT v, boot_image_below(v, $2, $3) AS below FROM unnest($1::text[]) v`,
    [versions, floor.ocp, floor.rhel],
  )
  const expected = versions.map((v) => {
    const rhcos = v.startsWith('RHCOS ')
    return [v, standing(rhcos ? { rhcosVersion: v.slice(6) } : { ocpVersion: v }, floor) === 'below']
  })
  expect(found.map(({ v, below }) => [v, below ?? false])).toEqual(expected)
})
