import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { workerConfig } from '@/lib/domain/changes/kubeadm'
import { keyedDigest } from '@/lib/seal'
import { answerUpdate } from './answer-update'
import type { Hold } from './constants'

useTestDatabase()
process.env.DRYDOCK_KEY = randomBytes(32).toString('base64')
const apiVersion = 'bootstrap.cluster.x-k8s.io/v1beta2'
const [clusterId, groupId, machineId] = [randomUUID(), randomUUID(), randomUUID()]
const of = { clusterId, namespace: 'fleet', workloadCluster: 'c1', resourceVersion: '1' }

/** Approved in place and let go; its machine is marked. */
async function letGo(startedAt: Date | null) {
  await db().managementCluster.deleteMany({})
  await db().managementCluster.create({ data: { id: clusterId, name: 'm', server: 'https://127.0.0.1:1' } })
  const [kind, createdAt] = ['MachineDeployment', new Date()]
  const group = { ...of, id: groupId, createdAt, kind, apiVersion: 'cluster.x-k8s.io/v1beta2', name: 'md' }
  await db().group.create({ data: group })
  const state = { phase: 'Running', state: 'updating', sentence: 's', provider: 'cluster.x-k8s.io', updating: true }
  const owner = { groupKind: kind, groupName: 'md' }
  await db().machine.create({ data: { ...of, ...state, ...owner, id: machineId, createdAt, name: 'm1' } })
  const config = { apiVersion, digest: keyedDigest(workerConfig({ preKubeadmCommands: ['true'] })) }
  const changes = [{ object: 'machine', path: 'version', current: 'v1', desired: 'v2', coveredBy: 'u' }]
  const change = await db().change.create({
    data: {
      ...{ ...of, ...owner, groupId, fingerprint: 'a', state: 'running', summary: 's', outlook: {}, heldBy: 'gate' },
      ...{ machines: 1, changeSet: { pairs: [{ from: 'a', machines: 1, fingerprint: 'a', changes, config }] } },
      decisions: { create: { fingerprint: 'a', mode: 'in-place', actorId: 'a', actorName: 'Ada', state: 'seen' } },
      progress: { create: { machineId, machineName: 'm1', state: startedAt ? 'updating' : 'waiting', startedAt } },
    },
  })
  return change.id
}

async function asked(version: string, command: string): Promise<Hold> {
  const labels = { 'cluster.x-k8s.io/deployment-name': 'md' }
  const machine = { metadata: { name: 'm1', namespace: 'fleet', labels }, spec: { version } }
  const bootstrapConfig = { apiVersion, kind: 'KubeadmConfig', spec: { preKubeadmCommands: [command] } }
  const answer = answerUpdate(clusterId, { desired: { machine, bootstrapConfig } })
  return answer.then(() => Promise.reject(new Error('It was passed on.')), (error: Hold) => error) // prettier-ignore
}
const row = () => db().machineProgress.findFirstOrThrow({ select: { state: true, message: true, startedAt: true } })

test('its template was edited since it began: that stands in the story of its change, and at the machine, with what to do', async () => {
  const [at, text] = [new Date(), expect.stringContaining('Delete this Machine') as string]
  const changeId = await letGo(at)
  expect(await asked('v2', 'false')).toMatchObject({ message: text, about: { changeId, machine: 'm1' } })
  expect(await row()).toEqual({ state: 'failed', message: text, startedAt: at })
})

test('one that is not on record as begun does not begin by being refused', async () => {
  const changeId = await letGo(null)
  expect((await asked('v2', 'false')).about).toMatchObject({ changeId })
  expect(await row()).toEqual({ state: 'waiting', message: null, startedAt: null })
})

test('what nobody approved stands in the story of the change that is open', async () => {
  const changeId = await letGo(new Date())
  expect(await asked('v3', 'true')).toMatchObject({ message: expect.stringContaining('not approved in place') as string, about: { changeId } }) // prettier-ignore
  expect(await row()).toMatchObject({ state: 'updating', message: null })
})
