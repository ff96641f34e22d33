import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { getUpgradeable, type UpgradeableDto } from './get-cluster'
import { listClusterUpdates } from './list-clusters'
import { ACKS, as, GATES, SOMEBODY, upgradeableWorld, VERSIONS, type World } from './suites/world'

useTestDatabase()

const says = (found: UpgradeableDto) => found.blockers.map((b) => `${b.source} ${b.item} ${b.said}`)

describe.each([
  { release: '4.22.4', minor: '4.22', next: '4.23', acked: 'AdminAckRequired' },
  { release: '4.23.1', minor: '4.23', next: '5.0', acked: 'AdminAck-ack-4.23-api-removals-in-5.0' },
])('a cluster of $release', ({ release, minor, next, acked }) => {
  const name = `at-${minor.replace('.', '-')}`
  const gate = `ack-${minor}-api-removals-in-${next}`
  let world: World
  beforeAll(async () => {
    world = await upgradeableWorld(name, { release })
  })
  afterAll(() => world?.stop())

  test('says which operator and which gate keep updates closed, in whose words, and with what patch', async () => {
    const said = (f: UpgradeableDto) => says(f).length === 2 && says(f).every((s) => s.endsWith('both'))
    // Which patch it is is known when the boot images are.
    const found = await world.until(
      'both reasons',
      (f) => said(f) && f.blockers.some((b) => b.source === 'operator' && b.remedies.some((r) => r.patch)),
    )
    expect(found).toMatchObject({
      ...{
        state: 'closed',
        version: release,
        read: { gates: 'read', acks: 'read', operators: 'read' },
        channel: `stable-${minor}`,
      },
      sentence: `2 reasons keep updates beyond ${minor} closed. Patch releases within ${minor} stay open.`,
      condition: { reason: 'MultipleReasons' },
    })
    const skew = found.blockers.find((b) => b.source === 'operator')!
    expect(skew).toMatchObject({ item: 'machine-config', reason: 'ClusterBootImageSkewError' })
    expect(skew.message).toMatch(/below the minimum required version/)
    expect(skew.remedies.find((r) => r.patch)?.patch?.command).toMatch(
      /^oc patch machineconfigurations\.operator\.openshift\.io\/cluster --type=merge -p '\{"spec"/,
    )
    expect(found.blockers.find((b) => b.source === 'gate')).toMatchObject({
      ...{ item: gate, reason: acked },
      remedies: [{ acknowledges: true, patch: { body: { data: { [gate]: 'true' } } } }],
    })
    expect(found.gates).toMatchObject([{ name: gate, state: 'waiting', release: minor, ack: null }])
    expect(found.gates[0]!.text).toMatch(/no longer serves/)
    const list = await listClusterUpdates(as('viewer'), { q: name })
    expect(list.clusters).toMatchObject([{ name, blockers: 2, gatesWaiting: 1, state: 'closed' }])
  })

  test('offers to acknowledge what the page of its boot images does, and nothing that is recorded already', async () => {
    const where = { clusterId: world.clusterId }
    const card = await db().openShiftCluster.findUniqueOrThrow({ where })
    const best = { versionKind: 'OCPVersion', version: release, sure: 'likely', why: 'Of its sets.' }
    const offer = async (recordedOcp: string, sure: string, ocpVersion = recordedOcp) => {
      const evidence = { ...(card.evidence as object), best, items: [{ source: 'machine-sets', sure, sentence: '' }] }
      const specSkew = { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } }
      const recorded = { mode: 'Manual', specSkew, recordedOcp, recordedRhcos: null, unheardWhy: null }
      await db().openShiftCluster.update({ where, data: { ...recorded, evidence } })
      const { blockers } = await getUpgradeable(as('viewer'), { cluster: name })
      const skew = blockers.find(({ reason }) => reason === 'ClusterBootImageSkewError')!
      return skew.remedies.find(({ patch }) => patch)?.sentence ?? null
    }
    await world.until('why it is closed', (f) => says(f).some((words) => words.startsWith('operator machine-config')))
    expect(await offer('4.12.7', 'certain')).toContain(`The evidence speaks for ${release}. Of its sets.`)
    expect(await offer('4.12.7', 'unknown')).toBeNull()
    expect(await offer(release, 'certain')).toBeNull()
    expect(await offer('4.12.7', 'certain', release)).toBeNull()
    // Whoever records that is told of the control plane's set, which is not counted in it.
    const sets = { ...where, kind: 'ControlPlaneMachineSet' }
    const plane = {
      ...sets,
      namespace: 'openshift-machine-api',
      name: 'cluster',
      state: 'unknown',
      dated: '4.11.0',
      datedSure: 'likely',
    }
    await db().bootImageSet.deleteMany({ where: sets })
    await db().bootImageSet.create({ data: { id: crypto.randomUUID(), ...plane } })
    expect(await offer('4.12.7', 'certain')).toMatch(
      /Of its sets\. The control plane’s own set .* of 4\.11\.0 \(likely\)/,
    )
    await db().bootImageSet.deleteMany({ where: sets })
    const { mode, specSkew, recordedOcp, recordedRhcos, unheardWhy, evidence } = card
    const before = { mode, specSkew: specSkew ?? Prisma.DbNull, recordedOcp, recordedRhcos, unheardWhy }
    await db().openShiftCluster.update({ where, data: { ...before, evidence: evidence as object } })
  })

  test('says where Drydock may not acknowledge, whoever decides', async () => {
    const where = { id: world.clusterId }
    const told = async () => (await getUpgradeable(as('viewer'), { cluster: name })).cannotWrite
    await world.until('it', () => true)
    const { discovery } = await db().managementCluster.findUniqueOrThrow({ where })
    expect(await told()).toBeNull()
    const lack = {
      verb: 'patch',
      group: '',
      resource: 'configmaps',
      part: 'openshift-write',
      name: 'admin-acks',
      why: 'w',
    }
    const data = { discovery: { ...(discovery as object), missingPermissions: [lack] } }
    await db().managementCluster.update({ where, data })
    expect(await told()).toContain('Drydock may not change configmaps')
    await db().managementCluster.update({ where, data: { discovery: discovery as object } })
  })

  test('follows an operator, an override and a gate that come and go', async () => {
    await world.operatorSays('etcd', 'Why', 'Not while a member is learning.')
    const overrides = [{ kind: 'Deployment', group: 'apps', namespace: 'x', name: 'a', unmanaged: true }]
    await world.server.store.merge(VERSIONS, 'version', { spec: { overrides } }, SOMEBODY)
    const four = await world.until('four reasons', (f) => says(f).filter((s) => s.endsWith('both')).length === 4)
    expect(says(four)).toEqual(
      expect.arrayContaining([
        'operator etcd both',
        'overrides  both',
        `gate ${gate} both`,
        'operator machine-config both',
      ]),
    )
    expect(four.blockers.find((b) => b.item === 'etcd')?.sentence).toMatch(/own words/)
    expect(four.blockers.find((b) => b.source === 'overrides')?.sentence).toMatch(/^Deployment x\/a is taken/)
    await world.operatorSays('etcd', null)
    await world.server.store.merge(VERSIONS, 'version', { spec: { overrides: null } }, SOMEBODY)
    await world.server.store.merge('configmaps', ACKS, { data: { [gate]: 'True' } }, SOMEBODY)
    const two = await world.until('what is left', (f) => f.blockers.length === 2 && f.gates[0]?.ack === 'True')
    expect(two.gates[0]).toMatchObject({ state: 'waiting', ack: 'True' })
    await world.server.store.merge('configmaps', ACKS, { data: { [gate]: 'true' } }, SOMEBODY)
    const one = await world.until('the gate to open', (f) => f.blockers.length === 1)
    expect(one.gates[0]).toMatchObject({ state: 'acknowledged', ack: 'true' })
    await world.server.store.merge('configmaps', GATES, { data: { [gate]: null } }, SOMEBODY)
    const none = await world.until('the gate to go', (f) => f.gates[0]?.state === 'no-gate')
    expect(none.gates).toMatchObject([{ name: gate, ack: 'true', text: '' }])
  })

  test('tells a ConfigMap that is missing from one that cannot be read', async () => {
    await world.server.store.delete('configmaps', ACKS, SOMEBODY)
    const found = await world.until('that it is missing', (f) => f.read.acks === 'missing')
    expect(says(found)).toContain(
      found.blockers.some((b) => b.said === 'both' && b.source === 'gates')
        ? 'gates admin-acks both'
        : 'gates admin-acks not-yet',
    )
    await world.server.store.create(
      'configmaps',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'admin-acks', namespace: 'openshift-config' } },
      SOMEBODY,
    )
    await world.until('that it is back', (f) => f.read.acks === 'read' && !says(f).some((s) => s.startsWith('gates')))
  })
})

test('before 4.22 the operator takes its gate back as soon as somebody has said what is to be done with boot images', async () => {
  const world = await upgradeableWorld('at-4-18', { release: '4.18.20', gates: {} })
  try {
    // The fleet's configuration says what is managed.
    await world.until('it to be read', (f) => f.gates.length === 0)
    const key = 'machineconfigurations.operator.openshift.io'
    await world.server.store.merge(key, 'cluster', { spec: { managedBootImages: null } }, SOMEBODY)
    const asked = await world.until('the gate', (f) => f.blockers.some((b) => b.source === 'gate'))
    expect(asked.gates[0]).toMatchObject({ name: 'ack-4.18-boot-image-opt-out-in-4.19', setBy: 'machine-config' })
    const blocker = asked.blockers.find((b) => b.source === 'gate')!
    const patches = blocker.remedies.flatMap((r) => (r.patch && !r.acknowledges ? r.patch : []))
    expect(patches.map((p) => p.body.spec)).toHaveLength(2)
    await world.server.store.merge(key, 'cluster', patches[1]!.body, SOMEBODY)
    await world.until('it to be taken back', (f) => f.gates.length === 0)
  } finally {
    await world.stop()
  }
})

describe('the list', () => {
  test('goes by how pressing it is, in pages, without leaving any out', async () => {
    const ids: string[] = []
    for (let i = 0; i < 120; i++) {
      const { id } = await db().managementCluster.create({
        data: { name: `many-${String(i).padStart(3, '0')}`, server: 'x' },
      })
      ids.push(id)
    }
    const states = ['open', 'closed', 'closing', 'unknown'] as const
    await db().clusterUpdates.createMany({
      data: ids.map((clusterId, i) => ({
        ...{ clusterId, form: 'risks', sentence: '', gatesRead: 'read', acksRead: 'read' },
        state: states[i % 4]!,
        rank: [0, 30, 20, 10][i % 4]!,
      })),
    })
    const names: string[] = []
    for (let after: string | null | undefined; after !== null;) {
      const page = await listClusterUpdates(as('viewer'), { q: 'many-', after: after ?? undefined })
      expect(page.counts).toEqual({ all: 120, closed: 60, gates: 0, open: 30, unknown: 30 })
      names.push(...page.clusters.map((c) => `${c.state} ${c.name}`))
      after = page.next
    }
    expect(names).toHaveLength(120)
    expect(new Set(names).size).toBe(120)
    expect(names[0]).toBe('closed many-001')
    expect(names.at(-1)).toBe('open many-116')
    const closed = await listClusterUpdates(as('viewer'), { q: 'MANY-00', only: 'closed' })
    expect(closed.clusters.map((c) => c.name)).toEqual(['many-001', 'many-005', 'many-009', 'many-002', 'many-006'])
    expect((await listClusterUpdates(as('viewer'), { q: '%' })).clusters).toEqual([])
  })

  test('refuses a place that is none, and a cluster that is none', async () => {
    await expect(listClusterUpdates(as('viewer'), { after: 'x' })).rejects.toMatchObject({ code: 'invalid' })
    await expect(getUpgradeable(as('viewer'), { cluster: 'nowhere' })).rejects.toMatchObject({ code: 'not-found' })
  })
})
