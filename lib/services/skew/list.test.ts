import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootImageSummary, skewReviews } from '@/lib/db/queries/boot-images'
import { waitingCounts } from '@/lib/db/queries/shell'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Ctx, Role } from '../context'
import { needsYou } from '../fleet/needs-you'
import { exportBootImages } from './export'
import { getBootImageCard } from './get-card'
import { listBootImages, type BootImagePage, type BootImageRow } from './list'
import { listImageSets } from './list-sets'
import { generateBootImages } from './testing'

useTestDatabase()

const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
const viewer = as('viewer')
const list = (q = '', more: object = {}) => listBootImages(viewer, { q, limit: 500, ...more })
const sets = (q = '', more: object = {}) => listImageSets(viewer, { q, limit: 500, ...more })

beforeAll(async () => {
  await generateBootImages(120)
  await db().managementCluster.createMany({
    data: [
      { name: 'capi', server: 'https://capi', discovery: { openshift: null } },
      { name: 'unread', server: 'https://unread', state: 'connected', discovery: { openshift: { version: '4.22.4' } } },
      { name: 'gone', server: 'https://gone', state: 'disconnected', discovery: { openshift: { version: '4.22.4' } } },
    ],
  })
  const { id } = await db().managementCluster.findUniqueOrThrow({ where: { name: 'unread' } })
  await db().stream.create({
    data: {
      clusterId: id,
      resource: 'machineconfigurations.operator.openshift.io',
      state: 'backoff',
      message: 'machineconfigurations.operator.openshift.io is forbidden',
    },
  })
})

async function all(sort: string, dir?: string): Promise<string[]> {
  const names: string[] = []
  let after: string | null = null
  do {
    const page: BootImagePage = await listBootImages(viewer, {
      sort,
      limit: 17,
      ...(dir && { dir }),
      ...(after && { after }),
    })
    names.push(...page.clusters.map((c) => c.name))
    after = page.after
  } while (after !== null)
  return names
}

describe('the list of clusters', () => {
  test('begins with the worst, and has every OpenShift cluster once', async () => {
    const { clusters, total, summary, after } = await list()
    expect(clusters.slice(0, 5).map((c) => c.verdict)).toEqual(Array(5).fill('out-of-skew'))
    expect(clusters.slice(5, 9).map((c) => c.verdict)).toEqual(Array(4).fill('update-failing'))
    expect(clusters[9]).toMatchObject({ name: 'unread', verdict: 'unknown' })
    expect(total).toBe(121)
    expect(new Set(clusters.map((c) => c.name)).size).toBe(121)
    expect(clusters.some((c) => ['capi', 'gone'].includes(c.name))).toBe(false)
    expect(summary).toMatchObject({ clusters: 121, closed: 9, atRisk: 5 })
    expect(after).toBeNull()
  })

  test('one that cannot be read is among them, with the API server’s own words', async () => {
    const { clusters } = await list('cluster:unread')
    expect(clusters).toMatchObject([
      {
        verdict: 'unknown',
        availability: null,
        mode: null,
        sentence: 'Its MachineConfiguration cannot be read: machineconfigurations.operator.openshift.io is forbidden.',
      },
    ])
  })

  test('that machine sets cannot be read is not told as that there are none', async () => {
    const data = { name: 'setless', server: 'https://s', state: 'connected', discovery: { openshift: {} } }
    const { id: clusterId } = await db().managementCluster.create({ data })
    const resource = 'machinesets.machine.openshift.io'
    await db().stream.create({ data: { clusterId, resource, state: 'backoff', message: 'machinesets is forbidden' } })
    const { clusters } = await list('cluster:setless')
    await db().managementCluster.delete({ where: { id: clusterId } })
    expect(clusters).toMatchObject([
      {
        verdict: 'unknown',
        confidence: 'unknown',
        sentence: 'Its MachineSets cannot be read: machinesets is forbidden.',
      },
    ])
  })

  test.each(['risk', 'name', 'version', 'distance', 'review'])(
    'pages by %s meet every cluster once, either way',
    async (sort) => {
      for (const dir of ['asc', 'desc']) {
        const names = await all(sort, dir)
        expect(names).toHaveLength(121)
        expect(new Set(names).size).toBe(121)
      }
    },
  )

  test('a place of another order, or none at all, is refused', async () => {
    const { after } = await listBootImages(viewer, { sort: 'name', limit: 3 })
    await expect(listBootImages(viewer, { sort: 'risk', after })).rejects.toMatchObject({ code: 'invalid' })
    await expect(listBootImages(viewer, { after: 'nonsense' })).rejects.toMatchObject({ code: 'invalid' })
  })

  test.each([
    ['verdict:out-of-skew', (c: BootImageRow) => c.verdict === 'out-of-skew'],
    ['-verdict:ok', (c: BootImageRow) => c.verdict !== 'ok'],
    ['mode:manual', (c: BootImageRow) => c.mode === 'Manual'],
    ['mode:unavailable', (c: BootImageRow) => c.mode === null],
    ['platform:aws,GCP', (c: BootImageRow) => ['AWS', 'GCP'].includes(c.platform ?? '')],
    ['version:<4.22', (c: BootImageRow) => ['4.21.14', '4.19.2'].includes(c.version ?? '')],
    ['version:4.22', (c: BootImageRow) => (c.version ?? '').startsWith('4.22.')],
    ['nodes:likely', (c: BootImageRow) => c.nodeRisk === 'likely'],
    ['managed:not-managed', (c: BootImageRow) => c.managed === 'not-managed'],
    ['sets:outdated', (c: BootImageRow) => (c.sets.outdated ?? 0) > 0],
    ['sure:unknown', (c: BootImageRow) => c.confidence === 'unknown'],
    ['review:due', (c: BootImageRow) => c.reviewDue],
    ['review:dated', (c: BootImageRow) => c.reviewAt !== null && !c.reviewDue],
    ['review:nothing', (c: BootImageRow) => c.saidBy === null],
    ['flagged:yes', (c: BootImageRow) => c.flaggedWhy !== null],
    ['updates:closed', (c: BootImageRow) => c.updateOpen === false],
    ['OCP-01', (c: BootImageRow) => c.name.startsWith('ocp-01')],
  ])('%s lets through exactly those', async (q, is) => {
    const [{ clusters, total, problems }, everything] = await Promise.all([list(q), list()])
    expect(problems).toEqual([])
    expect(total).toBeGreaterThan(0)
    expect(clusters.map((c) => c.name).sort()).toEqual(
      everything.clusters
        .filter(is)
        .map((c) => c.name)
        .sort(),
    )
    expect(total).toBe(clusters.length)
  })

  test('facets count what the filter lets through', async () => {
    const { facets, total, clusters } = await list('platform:aws')
    for (const values of Object.values(facets)) expect(values.reduce((sum, v) => sum + v.count, 0)).toBe(total)
    expect(facets.platform).toEqual([{ value: 'AWS', count: total }])
    for (const { value, count } of facets.verdict)
      expect(clusters.filter((c) => c.verdict === value)).toHaveLength(count)
  })

  test('a word without a date has none, and where nothing was said there is nothing to review', async () => {
    const reviews = async () => Object.fromEntries((await list()).facets.review.map((f) => [f.value, f.count]))
    const before = await reviews()
    const { id } = (await list('review:dated')).clusters[0]!
    const said = { where: { clusterId: id, kind: 'skew' } }
    const { reviewAt } = await db().openShiftAction.findFirstOrThrow(said)
    expect(before.none).toBeUndefined()
    await db().openShiftAction.updateMany({ ...said, data: { reviewAt: null } })
    expect(await reviews()).toEqual({ ...before, none: 1, dated: before.dated! - 1 })
    await db().openShiftAction.updateMany({ ...said, data: { reviewAt } })
  })

  test('what is not understood is said, and the rest still filters', async () => {
    const { problems, total } = await list('verdict:fine colour:red platform:aws version:<x')
    expect(problems).toEqual([
      expect.stringContaining('There is no verdict “fine”; there are out-of-skew'),
      expect.stringContaining('There is no filter “colour”; there are cluster, verdict'),
      '“<” compares versions, as in version:<4.22.',
    ])
    expect(total).toBe(24)
    const percent = await list('100%_\\ "; drop table openshift_cluster')
    expect(percent.total).toBe(0)
  })

  test('only a word that still stands has a review date', async () => {
    const { clusters } = await list('review:due')
    const { id } = clusters[0]!
    expect(clusters[0]).toMatchObject({ saidBy: 'l.varga', saidWhy: 'Seen in the console', mode: 'Manual' })
    expect((await skewReviews({})).some((r) => r.clusterId === id)).toBe(true)
    const before = await bootImageSummary()
    // A decision on something else is no word on boot images.
    const elsewhere = { clusterId: id, actorId: 'u2', actorName: 'kim', state: 'seen', calls: [], target: 'x' }
    await db().openShiftAction.create({ data: { ...elsewhere, kind: 'gate', action: 'acknowledge' } })
    expect(await bootImageSummary()).toEqual(before)
    expect((await list('review:due')).clusters.find((c) => c.id === id)).toMatchObject({ saidBy: 'l.varga' })
    await db().openShiftCluster.update({ where: { clusterId: id }, data: { recordedOcp: '4.20.0' } })
    expect((await list('review:due')).clusters.some((c) => c.id === id)).toBe(false)
    expect((await bootImageSummary()).due).toBe(before.due - 1)
    await db().openShiftCluster.update({ where: { clusterId: id }, data: { recordedOcp: '4.22.4' } })
  })
})

describe('what needs somebody', () => {
  const kinds = async (role: Role) => (await needsYou(as(role), {})).filter((n) => n.kind.startsWith('skew'))

  test('closed updates are put before everybody, reviews before those who may act', async () => {
    const operator = await kinds('operator')
    expect(operator.filter((n) => n.kind === 'skew')).toHaveLength(9)
    // And what is to be looked at again.
    expect((await waitingCounts()).skew).toBe(operator.length)
    const reviews = operator.filter((n) => n.kind === 'skew-review')
    expect(reviews.map((n) => n.where)).toContain('ocp-009')
    expect(reviews.every((n) => n.sentence.includes('review') || n.sentence.includes('speaks against'))).toBe(true)
    expect((await kinds('viewer')).some((n) => n.kind === 'skew-review')).toBe(false)
  })
})

describe('a pass that failed', () => {
  const cause = 'secrets "x" not found'
  const passFailed = `error syncing MAPI MachineSet a: failed to reconcile machineset a, err: ${cause}`
  let closing: BootImageRow
  let besides: BootImageRow
  beforeAll(async () => {
    closing = (await list('verdict:update-failing')).clusters[0]!
    besides = (await list('verdict:not-enforced')).clusters[0]!
    const clusterId = { in: [closing.id, besides.id] }
    await db().openShiftCluster.updateMany({ where: { clusterId }, data: { passFailed } })
  })
  afterAll(() => db().openShiftCluster.updateMany({ data: { passFailed: null } }))

  test('is counted where it closes updates, too, as the filter has it', async () => {
    const { total, summary } = await list('failing:yes')
    expect([total, summary.failing]).toEqual([2, 2])
  })

  test('is among needs you with its cause, once a cluster', async () => {
    const needs = (await needsYou(viewer, {})).filter(({ id }) => [closing.id, besides.id].includes(id))
    expect(needs.map(({ kind }) => kind)).toEqual(['skew', 'pass-failed'])
    for (const { detail } of needs) expect(detail).toContain(`${cause} (a). ClusterOperator machine-config is Degraded`)
  })

  test('is told on the cluster’s page in its words once', async () => {
    const [set] = (await sets(`cluster:${closing.name}`)).sets
    const reason = `Not the image. The operator failed on it in its last pass: ${cause}.`
    await db().bootImageSet.update({ where: { id: set!.id }, data: { reason } })
    const card = await getBootImageCard(viewer, { cluster: closing.name })
    expect(card?.passFailed).toBe(passFailed)
    expect(card?.sets.find(({ id }) => id === set!.id)?.reason).toBe(
      'Not the image. The operator failed on it in its last pass.',
    )
    expect((await sets(`cluster:${closing.name}`)).sets.find(({ id }) => id === set!.id)?.reason).toBe(reason)
  })
})

describe('the list of machine sets', () => {
  test('begins with those that somebody has to look at', async () => {
    const page = await sets('', { limit: 100 })
    expect(page.total).toBe(960)
    expect(page.sets.slice(0, 90).every((s) => s.state === 'outdated')).toBe(true)
    expect(page.sets[0]).toMatchObject({ managed: false, streamVersion: '4.22.4' })
    expect(page.after).not.toBeNull()
  })

  test.each([
    ['state:outdated managed:no', 24],
    ['marketplace:yes', 11],
    ['error:yes', 3],
    ['arch:aarch64', 120],
    ['kind:control-plane', 120],
    ['dated:no', 288],
    ['cluster:ocp-007', 8],
    ['platform:openstack', 192],
    ['worker-3 cluster:ocp-007', 1],
  ])('%s', async (q, n) => {
    const page = await sets(q)
    expect(page.problems).toEqual([])
    expect(page.total).toBe(n)
    expect(page.sets).toHaveLength(Math.min(n, 500))
  })

  test.each(['risk', 'name', 'machines', 'cluster'])('pages by %s meet every set once', async (sort) => {
    const seen = new Set<string>()
    let after: string | null = null
    let pages = 0
    do {
      const page: Awaited<ReturnType<typeof sets>> = await listImageSets(viewer, {
        sort,
        limit: 100,
        ...(after && { after }),
      })
      page.sets.forEach((s) => seen.add(s.id))
      after = page.after
      pages++
    } while (after !== null)
    expect([seen.size, pages]).toEqual([960, 10])
  })
})

test('what the operator does with a set is asked only of those that it manages', async () => {
  const { sets, facets, total } = await listImageSets(viewer, { q: 'outcome:update', limit: 500 })
  expect(total).toBeGreaterThan(0)
  expect(sets.every(({ managed, outcome }) => managed && outcome === 'update')).toBe(true)
  expect(facets.outcome).toEqual([{ value: 'update', count: total }])
  const off = await listImageSets(viewer, { q: 'outcome:not-managed' })
  expect(off.facets.managed).toEqual([{ value: 'no', count: off.total }])
  expect(off.problems).toEqual([])
})

describe('one cluster in full', () => {
  test('by name and by id, with its sets and what its release does', async () => {
    const card = await getBootImageCard(viewer, { cluster: 'ocp-001' })
    expect(card).toMatchObject({
      name: 'ocp-001',
      verdict: 'out-of-skew',
      distanceWords: '1 OpenShift minor release below the floor',
      acts: true,
      releaseWords: ['OpenShift 4.22 updates the boot images of machine sets on GCP, unless that is switched off.'],
    })
    expect(card?.sets).toHaveLength(8)
    expect(await getBootImageCard(viewer, { cluster: card!.clusterId })).toEqual(card)
  })

  test('where no operator acts on what is written, nothing is offered', async () => {
    const { id } = (await list('cluster:ocp-002')).clusters[0]!
    const acts = async (availability: string) => {
      await db().openShiftCluster.update({ where: { clusterId: id }, data: { availability } })
      return (await getBootImageCard(viewer, { cluster: id }))?.acts
    }
    expect(await acts('field-without-operator')).toBe(false)
    expect(await acts('no-field')).toBe(false)
    expect(await acts('hosted')).toBe(false)
    expect(await acts('not-filled-yet')).toBe(true)
    expect(await acts('enforced')).toBe(true)
  })

  test('a platform that the operator leaves alone has a recipe', async () => {
    const card = await getBootImageCard(viewer, { cluster: 'ocp-004' })
    expect(card?.platform).toBe('OpenStack')
    expect(card?.byHand?.steps.join(' ')).toContain('architectures.<arch>.artifacts.openstack.formats["qcow2.gz"].disk')
  })

  test('what is no OpenShift cluster has none', async () => {
    for (const cluster of ['capi', 'nobody', 'gone']) expect(await getBootImageCard(viewer, { cluster })).toBeNull()
    expect(await getBootImageCard(viewer, { cluster: 'unread' })).toMatchObject({ acts: false, evidence: [], sets: [] })
  })
})

describe('the export', () => {
  const text = async (input: object) => {
    let whole = ''
    for await (const piece of exportBootImages(viewer, input).pieces) whole += piece
    return whole
  }

  test('has every row that the filter lets through, also past one page', async () => {
    const lines = (await text({ of: 'sets', as: 'csv' })).trimEnd().split('\r\n')
    expect(lines).toHaveLength(961)
    expect(lines[0]).toMatch(/^cluster,platform,version,kind,machine set,machines,boot image,why,/)
    const some = JSON.parse(await text({ as: 'json', q: 'verdict:out-of-skew' })) as { name: string }[]
    expect(some.map((c) => c.name)).toEqual((await list('verdict:out-of-skew')).clusters.map((c) => c.name))
    expect(JSON.parse(await text({ as: 'json', q: 'nobody-has-this-name' }))).toEqual([])
  })

  test('says of a record how well it is supported, and of an image that is not managed that nothing is done with it', async () => {
    const { id } = (await list('cluster:ocp-005')).clusters[0]!
    await db().openShiftCluster.update({ where: { clusterId: id }, data: { confidence: 'against' } })
    expect((await list('sure:against')).clusters.map((c) => c.name)).toEqual(['ocp-005'])
    expect(await text({ as: 'csv', q: 'sure:against' })).toContain(',evidence against it,')

    const [failed] = (await listImageSets(viewer, { q: 'managed:yes state:outdated' })).sets
    const reason = 'The operator failed on it in its last pass: no secret x.'
    await db().bootImageSet.update({ where: { id: failed!.id }, data: { outcome: 'error', reason } })
    const said = (await text({ of: 'sets', as: 'csv', q: 'outcome:error' })).trimEnd().split('\r\n')
    expect(said).toHaveLength(2)
    expect(said[1]).toMatch(new RegExp(`,true,fails on it,.*,${reason}$`))
    const same = JSON.parse(await text({ of: 'sets', as: 'json', q: 'outcome:error' })) as { error: string }[]
    expect(same.map(({ error }) => error)).toEqual([reason])

    const unknown = (await text({ of: 'sets', as: 'csv', q: 'state:unknown' })).trimEnd().split('\r\n').slice(1)
    expect(unknown.every((line) => line.includes(',not known,'))).toBe(true)

    const rows = JSON.parse(await text({ of: 'sets', as: 'json' })) as { managed: boolean; outcome: string }[]
    expect(rows.every((set) => set.managed === (set.outcome !== 'not-managed'))).toBe(true)
    expect(await text({ of: 'sets', as: 'csv', q: 'outcome:not-managed state:outdated' })).toContain(
      ',false,not managed,',
    )
  })

  test('what a spreadsheet would run is text, and what holds commas is quoted', async () => {
    const { id } = (await list('cluster:ocp-003')).clusters[0]!
    await db().openShiftCluster.update({ where: { clusterId: id }, data: { sentence: '=1+1, "so", really' } })
    const csv = await text({ as: 'csv', q: 'cluster:ocp-003' })
    expect(csv).toContain(`,"'=1+1, ""so"", really",`)
  })

  test('a bad question is refused before the first byte', () => {
    expect(() => exportBootImages(viewer, { of: 'secrets' })).toThrow(
      'There are clusters, sets and nodes to be exported.',
    )
    expect(() => exportBootImages(viewer, { sort: 'colour' })).toThrow(/Sort by risk/)
    // The page names what it passed over; a file would hold all rows and say nothing.
    for (const of of ['clusters', 'sets', 'nodes'])
      expect(() => exportBootImages(viewer, { of, q: 'operator:fails' })).toThrow(/operator/)
  })
})
