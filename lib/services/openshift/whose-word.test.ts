import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import type { Ctx } from '../context'
import { getBootImageCard } from '../skew/get-card'
import { loseWords } from './lose-words'
import { markActionsSeen } from './mark-action-seen'

useTestDatabase()
const viewer: Ctx = { actor: { kind: 'user', id: 'u1', name: 'kim', role: 'viewer' } }
let clusterId = ''
const manual = (ocpVersion: string): JsonObject => ({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } })

beforeEach(async () => {
  clusterId = randomUUID()
  await db().managementCluster.deleteMany()
  await db().managementCluster.create({
    data: { id: clusterId, name: 'tidal', server: 'https://api.example', state: 'connected', lastHeardAt: new Date() },
  })
  const known = { version: '4.22.4', mode: 'Manual', recordedOcp: '4.22.4', verdict: 'ok', availability: 'enforced' }
  await db().openShiftCluster.create({
    data: { clusterId, skewSupported: true, ...known, generation: 5, specSkew: manual('4.22.4') },
  })
})

const decided = (data: object) =>
  db().openShiftAction.create({
    data: { ...{ clusterId, actorId: 'u1', actorName: 'l.varga', state: 'seen', action: 'acknowledge', versionKind: 'OCPVersion', version: '4.22.4', generation: 3 }, ...data }, // prettier-ignore
  })
/** A decision on managed images that records first. */
const inTwo = (state: string, ...steps: JsonObject[]) =>
  decided({ kind: 'managed', action: 'manage', wish: { skew: { action: 'acknowledge' } }, state, steps })
const said = async () => (await getBootImageCard(viewer, { cluster: 'tidal' }))!.saidBy
/** As the watch shows it. */
async function shows(
  stanza: JsonObject | null,
  generation: number,
  configurationUid?: string | null,
  metadata?: Parameters<typeof loseWords>[1],
): Promise<void> {
  const specSkew = stanza ?? Prisma.DbNull
  await db().openShiftCluster.update({
    where: { clusterId },
    data: { generation, observedGeneration: generation, specSkew, configurationUid },
  })
  await loseWords(clusterId, metadata)
}

test.each<[what: string, state: string, steps: JsonObject[], by: string | null]>([
  ['waits', 'waiting', [{ state: 'stored' }, { state: 'open' }], 'l.varga'],
  ['was left as it stands', 'cancelled', [{ state: 'stored' }, { state: 'left' }], 'l.varga'],
  ['was taken back', 'cancelled', [{ state: 'stored' }, { state: 'left' }, { state: 'stored', cancels: true }], null],
  ['is being taken back', 'failed', [{ state: 'stored' }, { state: 'left' }, { state: 'failed', cancels: true }], 'l.varga'], // prettier-ignore
  ['is not there any more', 'failed', [{ state: 'stored', gone: true }, { state: 'failed' }], null],
])('a version in the first write of a decision that %s', async (_, state, steps, by) => {
  await inTwo(state, ...steps)
  expect(await said()).toBe(by)
})

test('what somebody else wrote over is no word any more, also where the same is written again later', async () => {
  await decided({})
  await shows(manual('4.22.4'), 5)
  expect(await said()).toBe('l.varga')
  await shows(null, 6)
  await shows(manual('4.22.4'), 7)
  expect(await said()).toBeNull()
  // Nor does the word before it take its place.
  await decided({ actorName: 'before', recordedAt: new Date(0) })
  expect(await said()).toBeNull()
  await decided({ actorName: 'anew', generation: 7 })
  await shows(manual('4.22.4'), 7)
  expect(await said()).toBe('anew')
})

test.each<[what: string, data: object, stanza: JsonObject | null]>([
  ['an opting out', { action: 'opt-out', version: null, versionKind: null }, { mode: 'None' }],
  [
    'an RHCOS version',
    { versionKind: 'RHCOSVersion', version: '9.6.20251023-0' },
    { mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion: '9.6.20251023-0' } },
  ],
  ['a return', { action: 'automatic', version: null, versionKind: null }, null],
])('%s stands for as long as the watch shows it', async (_, data, stanza) => {
  const { id } = await decided(data)
  const lost = async () => (await db().openShiftAction.findUniqueOrThrow({ where: { id } })).lostAt !== null
  await shows(manual('4.14.0'), 2)
  expect(await lost(), 'a row of before').toBe(false)
  await shows(stanza, 5)
  expect(await lost()).toBe(false)
  await shows(manual('4.14.0'), 6)
  expect(await lost()).toBe(true)
})

const by = (manager: string) => ({
  managedFields: [
    { manager, time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:bootImageSkewEnforcement': {} } } },
  ],
})
const over = async () => (await getBootImageCard(viewer, { cluster: 'tidal' }))!.lostWord?.by

test('a decision that was gone back from ends none that it restored, and who writes after that is named', async () => {
  await decided({ action: 'automatic', version: null, versionKind: null, recordedAt: new Date(Date.now() - 60_000) })
  await shows(null, 5)
  expect(await over()).toBeUndefined()
  const { id } = await inTwo('failed', { state: 'stored' }, { state: 'failed' })
  await shows(manual('4.22.4'), 6, undefined, by('drydock'))
  const steps = [{ state: 'stored' }, { state: 'left' }, { state: 'stored', cancels: true }]
  await db().openShiftAction.update({ where: { id }, data: { state: 'cancelled', steps } })
  expect(await over()).toBe('drydock')
  await shows(null, 7)
  expect(await over()).toBeUndefined()
  await shows(manual('4.12.0'), 8, undefined, by('kubectl-patch'))
  expect(await over()).toBe('kubectl-patch')
})

test('the first write of a decision that was overwritten before its second is the word that was, and none before it', async () => {
  await decided({ action: 'automatic', version: null, versionKind: null, recordedAt: new Date(Date.now() - 60_000) })
  const { id } = await inTwo('failed', { state: 'stored' }, { state: 'failed' })
  await shows(manual('4.22.4'), 6, undefined, by('drydock'))
  const lost = async () => (await getBootImageCard(viewer, { cluster: 'tidal' }))!.lostWord
  expect(await lost()).toBeNull()
  await shows({ mode: 'None' }, 7, undefined, by('argocd-controller'))
  const steps = [{ state: 'stored', gone: true }, { state: 'failed' }]
  await db().openShiftAction.update({ where: { id }, data: { steps } })
  expect(await lost()).toMatchObject({ action: 'acknowledge', version: '4.22.4', by: 'argocd-controller' })
  await shows(manual('4.12.0'), 8, undefined, by('kubectl-patch'))
  expect(await lost()).toMatchObject({ action: 'acknowledge', by: 'kubectl-patch' })
})

test('what somebody wrote over and Drydock wrote beside is theirs, and the same written again is no word of anybody here', async () => {
  const held = (spec: JsonObject) => ({ 'f:spec': spec })
  const metadata = {
    managedFields: [
      {
        ...{ manager: 'argocd-controller', time: '2026-01-01T00:00:00Z' },
        fieldsV1: held({ 'f:bootImageSkewEnforcement': { 'f:mode': {} } }),
      },
      {
        ...{ manager: 'drydock', time: '2026-01-01T00:01:00Z' },
        fieldsV1: held({ 'f:bootImageSkewEnforcement': {}, 'f:managedBootImages': {} }),
      },
    ],
  }
  await decided({ recordedAt: new Date(Date.now() - 60_000) })
  const steps = [{ state: 'stored' }, { state: 'left' }, { state: 'stored', cancels: true }]
  await decided({ kind: 'managed', action: 'manage', wish: {}, state: 'cancelled', steps })
  await shows({ mode: 'None' }, 6, undefined, by('argocd-controller'))
  await shows({ mode: 'None' }, 7, undefined, metadata)
  expect(await over()).toBe('argocd-controller')
  await shows(manual('4.22.4'), 8, undefined, metadata)
  expect(await said()).toBeNull()
})

test('who wrote what stands now is named, and not who wrote over the decision first', async () => {
  await decided({})
  await shows(manual('4.16.0'), 6, undefined, by('drydock'))
  expect(await over()).toBe('drydock')
  await shows(manual('4.12.0'), 7, undefined, by('kubectl-patch'))
  expect(await over()).toBe('kubectl-patch')
})

test('a schema that was not read for a moment takes nobody’s word away', async () => {
  const { id } = await decided({})
  await db().openShiftCluster.update({ where: { clusterId }, data: { skewSupported: false } })
  await shows(null, 6)
  expect(await db().openShiftAction.findUniqueOrThrow({ where: { id } })).toMatchObject({ lostAt: null })
})

test('of an object that was deleted and made anew, nothing that somebody said of the one before is their word', async () => {
  const { id } = await decided({ uid: 'first', generation: 5 })
  const choice = await decided({ kind: 'managed', action: 'manage', wish: { sets: { mode: 'All' } }, uid: 'first' })
  const lostAt = async () => (await db().openShiftAction.findUniqueOrThrow({ where: { id } })).lostAt
  await shows(manual('4.22.4'), 5, 'first')
  expect(await said()).toBe('l.varga')
  // Deleted, or not heard: nobody knows yet.
  await shows(null, 0, null)
  expect(await lostAt()).toBeNull()
  // Another one, whose generation counts from one, and somebody writes the same there.
  await shows(manual('4.22.4'), 2, 'second')
  expect(await said()).toBeNull()
  expect(await lostAt()).not.toBeNull()
  expect((await db().openShiftAction.findUniqueOrThrow({ where: { id: choice.id } })).choiceLostAt).not.toBeNull()
})

test('what shows in an object that was made anew was not seen to be taken up', async () => {
  const { id } = await decided({ state: 'accepted', uid: 'first' })
  const stateOf = async () => (await db().openShiftAction.findUniqueOrThrow({ where: { id } })).state
  await shows(manual('4.22.4'), 5, 'second')
  await markActionsSeen(clusterId, 'skew')
  expect(await stateOf()).not.toBe('seen')
  await shows(manual('4.22.4'), 5, 'first')
  await markActionsSeen(clusterId, 'skew')
  expect(await stateOf()).toBe('seen')
})

test('what somebody wrote over in one field only, and Drydock wrote beside, is theirs', async () => {
  const held = (spec: JsonObject) => ({ 'f:spec': spec })
  // oc patch … -p '{"spec":{"bootImageSkewEnforcement":{"manual":{"ocpVersion":"4.16.0"}}}}': the modes stay Drydock's.
  const kubectl = {
    ...{ manager: 'kubectl-patch', operation: 'Update', time: '2026-01-01T00:00:00Z' },
    fieldsV1: held({ 'f:bootImageSkewEnforcement': { 'f:manual': { 'f:ocpVersion': {} } } }),
  }
  const drydock = (time: string, more: JsonObject = {}) => ({
    ...{ manager: 'drydock', operation: 'Update', time },
    fieldsV1: held({
      'f:bootImageSkewEnforcement': { '.': {}, 'f:mode': {}, 'f:manual': { '.': {}, 'f:mode': {} } },
      ...more,
    }),
  })
  const before = { managedFields: [drydock('2025-12-31T23:00:00Z'), kubectl] }
  const beside = { managedFields: [kubectl, drydock('2026-01-01T00:01:00Z', { 'f:managedBootImages': {} })] }
  await decided({ recordedAt: new Date(Date.now() - 60_000) })
  const steps = [{ state: 'stored' }, { state: 'left' }, { state: 'stored', cancels: true }]
  await decided({ kind: 'managed', action: 'manage', wish: {}, state: 'cancelled', steps })
  await shows(manual('4.16.0'), 6, undefined, before)
  expect.soft(await over()).toBe('kubectl-patch')
  await shows(manual('4.16.0'), 7, undefined, beside)
  expect.soft(await over()).toBe('kubectl-patch')
  // kubectl writes 4.22.4 again, then Drydock beside once more: still nobody's word here.
  await shows(manual('4.22.4'), 8, undefined, beside)
  expect.soft(await said()).toBeNull()
})

test('while a decision on machine sets waits between its writes, nothing else is offered, and what ends it is named', async () => {
  const underWay = async () => (await getBootImageCard(viewer, { cluster: 'tidal' }))!.underWay
  await decided({})
  expect(await underWay()).toBeNull()
  const { id } = await inTwo(
    'waiting',
    { state: 'stored', body: {}, back: { label: 'Let the operator decide', body: {} } },
    { state: 'open', body: {}, waitsFor: 'the operator has left Automatic' },
  )
  await db().openShiftAction.update({ where: { id }, data: { step: 1 } })
  expect(await underWay()).toEqual({
    ...{ id, halfway: false },
    message:
      'A decision on MachineConfiguration/cluster, by l.varga, is still under way and waits until the operator has left Automatic.',
    hint: 'Wait until it is done. Go back, or leave it as it stands, where that is not to be: on the page of its cluster.',
  })
})
