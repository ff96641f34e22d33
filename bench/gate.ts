import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { db, pool } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import recorded from '@/lib/domain/changes/testing/recorded.json'
import { readSecrets, writeSecrets } from '@/lib/services/clusters/secrets'
import { startGate } from '@/worker/gate'
import { fingerprintOfQuestion } from '@/worker/gate/answer-can-update'
import { HOOKS } from '@/worker/gate/constants'
import type { Answers, Asked } from './gate-asker'
import { percentile, setUp } from './setup'

/** A manager asks as many questions at a time as it has workers: ten for each controller, unless it is told otherwise. */
const ASKERS = [20, 100]
const ROUNDS = 5
/** Beside the burst: so many questions a second, as they come while rollouts run. */
const RATE = 100
const STEADY_S = 10

/** Of each, a window that is open: what they say of a group has to be known before it is answered. */
const POLICIES = 30

/** So many groups, half of them decided, each of which has to be answered; then a hundred questions a second. */
export async function gate(groups: number): Promise<Record<string, number>> {
  const bench = await setUp(100)
  const { clusterId } = bench
  // Its keys and certificate go with it.
  const data = mkdtempSync(join(tmpdir(), 'drydock-bench-gate-'))
  process.env.DRYDOCK_DATA_DIR = data
  process.env.DRYDOCK_KEY = randomBytes(32).toString('base64')
  // Other benches need none; the gate compares the token.
  await db().clusterCredential.deleteMany({ where: { clusterId } })
  await db().$transaction((tx) => writeSecrets(tx, clusterId, { server: 'https://127.0.0.1:1' }))
  const { gateToken } = await readSecrets(clusterId)
  const server = await startGate({ host: '127.0.0.1', port: 0, hosts: ['127.0.0.1'] })
  const { certPem: ca } = await db().gateCertificate.findFirstOrThrow({ where: { role: 'ca' } })
  const url = `${server.url}/c/${clusterId}/${gateToken}/${HOOKS}/canupdatemachineset/drydock?timeout=10s`
  const manager = fork(join(import.meta.dirname, 'gate-asker.ts'), { execArgv: ['--import', 'tsx'] })
  const asked = async (how: Pick<Asked, 'bodies' | 'askers' | 'perSecond'>): Promise<Answers> => {
    manager.send({ url, ca, ...how } satisfies Asked)
    const [answers] = (await once(manager, 'message')) as [Answers]
    if (answers.success * 2 !== how.bodies.length) throw new Error(`${answers.success} were let go: not one half.`)
    return answers
  }
  const ms = (values: readonly number[], share: number) => Math.round(percentile(values, share) * 10) / 10
  try {
    const bodies = await fill(clusterId, groups)
    const results: Record<string, number> = {}
    for (const askers of ASKERS) {
      // The first round makes the connections.
      await asked({ bodies, askers })
      const rounds: Answers[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await asked({ bodies, askers }))
      const each = rounds.flatMap(({ took }) => took)
      results[`of${askers}P50Ms`] = ms(each, 0.5)
      results[`of${askers}P99Ms`] = ms(each, 0.99)
      const allMs = rounds.map((round) => round.allMs)
      results[`of${askers}AllMs`] = ms(allMs, 0.5)
    }
    const steady = Array.from({ length: RATE * STEADY_S }, (_, i) => bodies[i % bodies.length]!)
    const { took } = await asked({ bodies: steady, perSecond: RATE })
    return {
      ...{ groups, ...results },
      ...{ steadyPerSecond: RATE, steadyP50Ms: ms(took, 0.5), steadyP99Ms: ms(took, 0.99) },
      rssMB: Math.round(process.memoryUsage.rss() / 1e6),
    }
  } finally {
    manager.disconnect()
    await server.stop()
    await bench.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

/** Groups with a change each, every other one approved replacing. Returns the question of each. */
async function fill(clusterId: string, groups: number): Promise<string[]> {
  const all = Array.from({ length: groups }, (_, i) => {
    const [id, name] = [randomUUID(), `md-${i}`]
    const question = structuredClone(recorded.machineSetHeld.request) as unknown as JsonObject
    for (const side of ['current', 'desired']) {
      const { machineSet } = question[side] as { machineSet: { metadata: { labels: Record<string, string> } } }
      machineSet.metadata.labels['cluster.x-k8s.io/deployment-name'] = name
    }
    const owner = { uid: id, namespace: 'fleet', name, kind: 'MachineDeployment' }
    return { id, name, question, fingerprint: fingerprintOfQuestion(owner, 'CanUpdateMachineSet', question) }
  })
  const common = { clusterId, namespace: 'fleet', workloadCluster: 'c1', resourceVersion: '1' }
  await db().group.createMany({
    data: all.map(({ id, name }) => ({
      ...{ ...common, id, name, kind: 'MachineDeployment', apiVersion: 'cluster.x-k8s.io/v1beta2' },
      createdAt: new Date(),
    })),
  })
  const changes = await db().change.createManyAndReturn({
    data: all.map(({ id, name, fingerprint }, i) => ({
      ...{ ...common, groupId: id, groupKind: 'MachineDeployment', groupName: name, fingerprint, outlook: {} },
      ...{ state: i % 2 === 0 ? 'running' : 'waiting', summary: 's', heldBy: 'gate', machines: 3 },
      changeSet: { pairs: [{ from: 'a', machines: 3, fingerprint, changes: [] }], fields: [] },
    })),
    select: { id: true, fingerprint: true, state: true },
  })
  await db().decision.createMany({
    data: changes.flatMap(({ id, fingerprint, state }) =>
      state === 'running'
        ? [{ changeId: id, fingerprint, mode: 'replace', actorId: 'a', actorName: 'Ada', state: 'accepted' }]
        : [],
    ),
  })
  const workload = { namespace: 'fleet', name: 'c1', provider: 'cluster-api', labels: { stage: 'prod' } }
  await db().workloadCluster.create({ data: { ...workload, clusterId, id: randomUUID() } })
  await db().rolloutPolicy.createMany({ data: Array.from({ length: POLICIES }, (_, i) => policy(i)) })
  await pool().query('VACUUM ANALYZE')
  return all.map(({ question }) => JSON.stringify(question))
}

/** Some for every group and some for none; each says several things, as policies do. */
function policy(i: number) {
  const starts = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16)
  const select = i % 3 === 0 ? { labels: { stage: 'prod' } } : { names: [`md-${i}*`, 'other'], namespaces: ['fleet'] }
  const windows = [{ starts, lasts: '23h', repeats: 'FREQ=DAILY', timeZone: 'Europe/Berlin' }]
  return { name: `policy-${i}`, spec: { select, windows, approvals: 1, expiresAfter: '7d', stopsAt: '10%' } }
}
