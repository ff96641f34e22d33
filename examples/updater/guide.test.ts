import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Agent, request } from 'undici'
import { useTestDatabase } from '@/lib/db/testing'
import type { Json, JsonObject } from '@/lib/domain/json'
import { canUpdate } from '@/lib/services/updaters/can-update'
import { fakeUpdater, mergePatch, type FakeUpdater } from '@/lib/services/updaters/testing'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { makeAuthority, makeLeaf, type Pair } from '@/worker/gate/certificates'
import { startReferenceUpdater, type RunningUpdater } from './index'

// Who asks takes a lock, that nobody else asks the same.
useTestDatabase()

/** What docs/write-an-updater.md says is sent, answered and refused is what happens. */
const guide = readFileSync(new URL('../../docs/write-an-updater.md', import.meta.url), 'utf8')
const bodies = new Map(
  [...guide.matchAll(/^```json ([\w ]+)\n([^]*?)^```/gm)].map(([, name, text]) => [
    name!,
    JSON.parse(text!) as JsonObject,
  ]),
)
const body = (name: string): JsonObject => structuredClone(bodies.get(name)!)
const decoded = (patch: unknown): Json =>
  JSON.parse(Buffer.from(String((patch as JsonObject).patch), 'base64').toString()) as Json

let authority: Pair
let leaf: Pair
let example: RunningUpdater
let fast: RunningUpdater
let fake: FakeUpdater
let agent: Agent
const said: string[] = []

beforeAll(async () => {
  authority = await makeAuthority()
  leaf = await makeLeaf(authority, ['127.0.0.1'])
  agent = new Agent({ connect: { ca: authority.certPem } })
  const common = { host: '127.0.0.1', port: 0, tls: leaf, log: (line: string) => void said.push(line) }
  example = await startReferenceUpdater({ ...common, delayMs: 5_000 })
  fast = await startReferenceUpdater({ ...common, delayMs: 0, failing: (machine) => machine === 'broken' })
  fake = await fakeUpdater(leaf)
})
afterAll(async () => {
  await closeUpdaters()
  await agent?.destroy()
  await Promise.all([example?.stop(), fast?.stop(), fake?.stop()])
})

async function post(updater: RunningUpdater, path: string, sent: JsonObject | string, method: 'POST' | 'GET' = 'POST') {
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
  const url = new URL(`hooks.runtime.cluster.x-k8s.io/v1alpha1/${path}?timeout=10s`, updater.url)
  const answer = await request(url, { dispatcher: agent, method, ...(method === 'POST' ? { body: text } : {}) })
  return { code: answer.statusCode, body: (await answer.body.json()) as JsonObject }
}
const question = 'canupdatemachineset/canupdatemachineset'
const work = 'updatemachine/updatemachine'

describe('the bodies of the guide', () => {
  test('are all there', () => {
    expect([...bodies.keys()]).toEqual([
      'DiscoveryRequest',
      'DiscoveryResponse',
      'CanUpdateMachineSetRequest',
      'CanUpdateMachineSetResponse',
      'machineSetPatch',
      'bootstrapConfigTemplatePatch',
      'merge',
      'UpdateMachineRequest',
      'UpdateMachineResponse running',
      'UpdateMachineResponse done',
    ])
  })

  test('are what the example answers', async () => {
    expect((await post(example, 'discovery', body('DiscoveryRequest'))).body).toEqual(body('DiscoveryResponse'))
    const answer = (await post(example, question, body('CanUpdateMachineSetRequest'))).body
    expect(answer).toEqual(body('CanUpdateMachineSetResponse'))
    for (const patch of ['machineSetPatch', 'bootstrapConfigTemplatePatch'])
      expect(decoded(answer[patch])).toEqual(body(patch))
    const running = (await post(example, work, body('UpdateMachineRequest'))).body
    expect(running).toEqual(body('UpdateMachineResponse running'))
    expect((await post(fast, work, body('UpdateMachineRequest'))).body).toEqual(body('UpdateMachineResponse done'))
  })

  test('cover the change as Drydock reads them, and as a merge patch as well', async () => {
    const target = { name: 'example', url: example.url, caPem: authority.certPem }
    const both = await canUpdate([target], 'CanUpdateMachineSet', body('CanUpdateMachineSetRequest'), 5_000)
    expect(both.covered).toBe(true)
    expect([...both.by.keys()].sort()).toEqual(['bootstrap: files', 'machine: version'])
    fake.says.CanUpdateMachineSet = () => ({ machineSetPatch: mergePatch(body('merge')) })
    const first = { ...target, name: 'first', url: fake.url }
    const shared = await canUpdate([first, target], 'CanUpdateMachineSet', body('CanUpdateMachineSetRequest'), 5_000)
    expect(shared.covered).toBe(true)
    expect(Object.fromEntries(shared.by)).toEqual({ 'machine: version': 'first', 'bootstrap: files': 'example' })
  })
})

describe('what the guide says is refused', () => {
  const spec = (value: Json) => mergePatch({ spec: { template: { spec: value } } })
  const patch = (document: Json) => ({
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(document)).toString('base64'),
  })

  test.each<[string, JsonObject]>([
    ['it changes what nobody asked for', { machineSetPatch: spec({ failureDomain: 'b' }) }],
    ['it changes to something else than what is wanted', { machineSetPatch: spec({ version: 'v9' }) }],
    ['it says that it changes what it leaves as it is', { machineSetPatch: spec({ version: 'v1.34.0' }) }],
    ['It answered for another object', { machinePatch: mergePatch({ spec: { version: 'v1.34.1' } }) }],
    ['is for another object', { machineSetPatch: mergePatch({ metadata: { name: 'x' } }) }],
    ['takes the spec away', { machineSetPatch: mergePatch({ spec: { template: { spec: null } } }) }],
    ['does not apply', { machineSetPatch: patch([{ op: 'remove', path: '/spec/nothing' }]) }],
    ['has no known patchType', { machineSetPatch: { patch: 'e30=' } }],
    ['is not in base64', { machineSetPatch: { patchType: 'JSONMergePatch', patch: '{}' } }],
    ['it answered another question', { kind: 'UpdateMachineResponse' }],
    ['says: ', { status: 'Failure', message: 'no' }],
  ])('%s', async (words, answer) => {
    const mentioned = words === 'says: ' ? 'says: and your `message`' : words
    expect(guide).toMatch(new RegExp(`^\\| .* \\| ${mentioned.replaceAll('^', '\\^')} *\\|$`, 'm'))
    fake.says.CanUpdateMachineSet = () => answer
    const target = { name: 'wrong', url: fake.url, caPem: authority.certPem }
    const asked = canUpdate([target], 'CanUpdateMachineSet', body('CanUpdateMachineSetRequest'), 5_000)
    await expect(asked).rejects.toThrow(words)
    await expect(asked).rejects.toThrow('The updater wrong ')
  })
})

test('a change with a number that JSON readers do not keep is not asked about', async () => {
  const asked = body('CanUpdateMachineSetRequest') as { desired: { infrastructureMachineTemplate: JsonObject } }
  asked.desired.infrastructureMachineTemplate.spec = { template: { spec: { size: 2 ** 53 + 2 } } }
  fake.asked.length = 0
  const target = { name: 'fake', url: fake.url, caPem: authority.certPem }
  const answer = canUpdate([target], 'CanUpdateMachineSet', asked as unknown as JsonObject, 5_000)
  await expect(answer).rejects.toThrow('The question has a number that cannot be kept exactly')
  expect(fake.asked).toEqual([])
})

describe('the server of the example', () => {
  test('knows its hooks and no other path, and says what is not JSON', async () => {
    expect((await post(example, 'beforeclusterupgrade/x', {})).code).toBe(404)
    expect((await post(example, 'discovery', {}, 'GET')).code).toBe(404)
    expect(await post(example, question, '{')).toEqual({ code: 400, body: { message: 'The request is not JSON.' } })
  })

  test('covers one machine of a control plane as well, and leaves what it cannot change', async () => {
    const machine = (version: string, failureDomain: string) => ({
      ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', metadata: { name: 'm', namespace: 'fleet' } },
      spec: { version, failureDomain },
    })
    const asked = { current: { machine: machine('v1', 'a') }, desired: { machine: machine('v2', 'b') } }
    const { body: answer } = await post(example, 'canupdatemachine/canupdatemachine', asked)
    expect(decoded(answer.machinePatch)).toEqual([{ op: 'replace', path: '/spec/version', value: 'v2' }])
    expect(Object.keys(answer).filter((key) => key.endsWith('Patch'))).toEqual(['machinePatch'])
  })

  test('says which machine it cannot update, and never repeats the token that it was sent', async () => {
    const sent = JSON.parse(JSON.stringify(body('UpdateMachineRequest')).replaceAll('c1-md-s5fgz-7bnp6', 'broken')) as {
      desired: { bootstrapConfig: { spec: JsonObject } }
    }
    sent.desired.bootstrapConfig.spec.joinConfiguration = { discovery: { bootstrapToken: { token: 'very.secret' } } }
    const { code, body: answer } = await post(fast, work, sent as unknown as JsonObject)
    expect([code, answer.status, answer.message]).toEqual([200, 'Failure', 'cannot update broken'])
    expect(said.at(-1)).toBe('UpdateMachine broken')
    expect(JSON.stringify([said, answer])).not.toContain('very.secret')
  })

  test('is trusted by its own authority alone', async () => {
    const stranger = { name: 'example', url: example.url, caPem: (await makeAuthority()).certPem }
    const asked = canUpdate([stranger], 'CanUpdateMachineSet', body('CanUpdateMachineSetRequest'), 5_000)
    await expect(asked).rejects.toThrow(/^The updater example cannot be reached/)
  })
})
