import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { rbacManifest } from '@/lib/domain/access/manifest'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import { openShiftFleet, openShiftResources, startOpenShiftControllers } from '@/sandbox/openshift'
import { startNodeImages } from '@/worker/marked'
import { skewConsumer } from '@/worker/skew'
import { startWorker, type Worker } from '@/worker/worker'
import { addCluster } from '../clusters/add-cluster'
import { closeClients } from '../clusters/connection'
import type { Ctx, Role } from '../context'
import { needsYou } from '../fleet/needs-you'
import { getBootImageCard, type BootImageCard } from './get-card'

useTestDatabase()

const IMAGES = { name: 'node images', start: () => Promise.resolve(startNodeImages({ intervalMs: 50 })) }
const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
let server: RunningApiServer
let controllers: { stop(): Promise<void> }
let worker: Worker

beforeAll(async () => {
  server = await startApiServer({
    version: 'v1.35.4',
    families: ['openshift'],
    resources: openShiftResources(),
    objects: openShiftFleet(),
    users: { drydock: rulesFromManifests(rbacManifest(['openshift'])) },
  })
  controllers = startOpenShiftControllers(server.store, { speed: 50, life: false, onError: (e) => console.error(e) })
  await addCluster(as('admin'), { name: 'tidal', kubeconfig: server.users.drydock!.kubeconfig })
  const log = pino({ level: 'silent' })
  worker = await startWorker({ consumers: [skewConsumer], parts: [IMAGES], intervalMs: 20, tickMs: 100, log })
})
afterAll(async () => {
  await worker?.stop()
  await controllers?.stop()
  await closeClients()
  await server?.stop()
})

async function cardWith(is: (card: BootImageCard) => boolean): Promise<BootImageCard> {
  for (const deadline = Date.now() + 40_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 50))) {
    const card = await getBootImageCard(as('viewer'), { cluster: 'tidal' })
    if (card && is(card)) return card
  }
  throw new Error('Waited in vain for the card.')
}

test('a followed cluster says why the mode, how far, how sure, whether new machines join, and when the oldest node did', async () => {
  const found = await cardWith(
    (c) =>
      c.evidence.some((item) => item.source === 'oldest-node') &&
      !c.pending &&
      c.mode !== null &&
      c.nodeRisk !== 'unknown',
  )
  expect(found.cannotWrite).toContain('may not change machineconfigurations.operator.openshift.io')
  expect(found).toMatchObject({
    availability: 'enforced',
    acts: true,
    modeWhy: expect.stringContaining('Machine sets are not managed as a whole') as string,
    distanceWords: '1 OpenShift minor release below the floor',
    confidence: 'unknown',
    nodeRisk: 'likely',
    updateOpen: expect.any(Boolean) as boolean,
    managed: 'Partial, 1 of 4',
  })
  const oldest = found.evidence.find((item) => item.source === 'oldest-node')
  expect(oldest?.sentence).toMatch(/, the oldest of \d+ nodes, joined on /)
  const gpu = found.sets.find((s) => s.name.endsWith('gpu'))
  // Of the control plane only its nodes tell that.
  expect(found.sets.find((s) => s.kind === 'ControlPlaneMachineSet')).toMatchObject({ arch: 'x86_64' })
  expect(gpu).toMatchObject({ managed: false, outcome: 'skip', arch: 'x86_64', dated: null, marketplace: false })
})

test('a pass that fails is told in mode Manual as well, beside the verdict, and goes with what it failed at', async () => {
  const sets = 'machinesets.machine.openshift.io'
  const somebody = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
  const managed = (await cardWith((c) => c.sets.some((s) => s.managed))).sets.find((s) => s.managed)!.name
  const annotate = (arch: string) =>
    server.store.merge(
      sets,
      `openshift-machine-api/${managed}`,
      {
        metadata: { annotations: { 'capacity.cluster-autoscaler.kubernetes.io/labels': `kubernetes.io/arch=${arch}` } },
      },
      somebody,
    )
  await annotate('mips')
  const failed = await cardWith((c) => c.passFailed !== null)
  expect(failed).toMatchObject({ mode: 'Manual', verdict: 'out-of-skew', pass: { degraded: 1 } })
  expect(failed.passFailed).toBe(failed.pass?.errors)
  expect(failed.passFailed).toContain(managed)
  const kinds = (await needsYou(as('viewer'), {})).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'skew' || kind === 'pass-failed')).toEqual(['skew', 'pass-failed'])
  await annotate('amd64')
  expect((await cardWith((c) => c.passFailed === null)).pass).toMatchObject({ degraded: 0, errors: null })
})

test('another reason of the operator hides the skew only where the skew keeps updates closed', async () => {
  const pools = 'machineconfigpools.machineconfiguration.openshift.io'
  const had = server.store.get(pools, 'worker')?.status?.conditions as { type: string }[]
  const conditions = had.map((c) => (c.type === 'Degraded' ? { ...c, status: 'True' } : c))
  const somebody = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
  await server.store.merge(pools, 'worker', { status: { conditions: conditions as never } }, somebody, 'status')
  const { otherReason, blocks, clusterId } = await cardWith((c) => c.otherReason?.reason === 'DegradedPool')
  expect([otherReason?.hides, blocks !== null]).toEqual([true, true])
  await db().openShiftCluster.update({ where: { clusterId }, data: { blocks: null } })
  expect((await cardWith((c) => c.blocks === null)).otherReason).toMatchObject({ hides: false })
})

test('without Infrastructure the platform is not known: the operator fails in its own words, and nothing is refused as on another platform', async () => {
  const somebody = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
  const { sets } = await cardWith((c) => c.sets.some((s) => s.managed))
  const managed = sets.find((s) => s.managed)!.name
  await server.store.delete('infrastructures.config.openshift.io', 'cluster', somebody)
  const annotations = { 'example.com/touched': 'x' }
  const key = `openshift-machine-api/${managed}`
  await server.store.merge('machinesets.machine.openshift.io', key, { metadata: { annotations } }, somebody)
  const unread =
    'Which platform it is cannot be read: Infrastructure/cluster is missing or does not say it, or Drydock may not read it.'
  const card = await cardWith((c) => c.platform === null && c.passFailed !== null)
  expect(card).toMatchObject({ platformUnread: unread, releaseWords: [unread], managing: null, byHand: null })
  expect(card.passFailed).toContain(`${managed}, err: failed to fetch infra object during machineset sync: `)
  expect(card.passFailed).not.toContain('Drydock')
  const states = card.sets.filter((s) => s.kind === 'MachineSet').map((s) => [s.name === managed, s.outcome])
  for (const [fails, outcome] of states) expect(outcome).toBe(fails ? 'error' : 'not-known')
})
