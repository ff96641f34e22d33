import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { ServiceError } from '../errors'
import { retryAction } from '../openshift/retry-action'
import { acknowledgeGate } from './acknowledge-gate'
import { previewGate } from './preview-gate'
import { ACKS, as, GATES, SOMEBODY, upgradeableWorld, type World } from './suites/world'
import { withdrawGate } from './withdraw-gate'

useTestDatabase()

const operator = as('operator')
const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: ServiceError) => error,
  )
const CONFIG_MAP = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'admin-acks', namespace: 'openshift-config' },
}

describe.each([
  { release: '4.22.4', minor: '4.22', next: '4.23' },
  { release: '4.23.1', minor: '4.23', next: '5.0' },
])('a gate of $release', ({ release, minor, next }) => {
  const gate = `ack-${minor}-api-removals-in-${next}`
  let world: World
  const preview = (more: object = {}) => previewGate(operator, { clusterId: world.clusterId, gate, ...more })
  const stored = () =>
    (world.server.store.get('configmaps', ACKS) as { data?: Record<string, string> } | undefined)?.data ?? {}
  const write = (map: string, data: Record<string, string | null>) =>
    world.server.store.merge('configmaps', map, { data }, SOMEBODY)
  const events = async (id: string) =>
    (await db().auditEvent.findMany({ where: { targetId: id }, orderBy: { id: 'asc' } })).map(
      (e) => `${e.action} ${e.result}`,
    )
  const waiting = () => world.until('the gate to wait', (f) => f.gates[0]?.state === 'waiting')

  beforeAll(async () => {
    world = await upgradeableWorld(`ack-${minor.replace('.', '-')}`, { release })
    await world.until('both reasons', (f) => f.blockers.length === 2 && f.blockers.every((b) => b.said === 'both'))
  })
  afterAll(() => world?.stop())

  test('is shown with its text, the exact patch, the server’s answer and what follows, and nothing is changed', async () => {
    const shown = await preview()
    expect(shown.text).toMatch(/no longer serves some beta APIs/)
    expect(shown.call).toMatchObject({
      path: '/api/v1/namespaces/openshift-config/configmaps/admin-acks',
      body: { metadata: { resourceVersion: shown.resourceVersion }, data: { [gate]: 'true' } },
    })
    expect(shown.dryRun).toMatchObject({ ok: true })
    expect(shown.follows[0]).toBe(`Updates beyond ${minor} stay closed: another reason is left.`)
    expect(stored()).toEqual({})
  })

  test('is not acknowledged from here where a part of its text is not shown', async () => {
    const other = `ack-${minor}-other-in-${next}`
    await write(GATES, { [other]: `Ask the service with token=${crypto.randomUUID()} first.` })
    const refused = await failure(previewGate(operator, { clusterId: world.clusterId, gate: other }))
    await write(GATES, { [other]: null })
    expect(refused).toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/looks like a credential, and is not shown/) as string,
    })
  })

  test('is acknowledged with who and why, seen when the operator no longer asks, and can be taken back', async () => {
    const { resourceVersion, text } = await preview()
    const done = await acknowledgeGate(operator, {
      ...{ clusterId: world.clusterId, gate, text, resourceVersion },
      reason: 'Nothing asks for them: checked in Grafana.',
    })
    expect(['accepted', 'seen']).toContain(done.state)
    expect(stored()).toEqual({ [gate]: 'true' })
    const seen = await world.until('the third tick', (f) => f.gates[0]?.action?.state === 'seen')
    expect(seen.gates[0]).toMatchObject({
      state: 'acknowledged',
      action: { actorName: 'l.varga', reason: expect.stringMatching(/Grafana/) as string },
      ...{ ackedHere: true, ackedWith: { id: done.id } },
    })
    expect(seen.blockers.map((b) => b.source)).toEqual(['operator'])
    expect(await events(done.id)).toEqual([
      'admin-gate.acknowledged ok',
      'admin-gate.accepted ok',
      'admin-gate.seen ok',
    ])

    for (const value of [null, 'true']) await write(ACKS, { [gate]: value })
    const others = await world.until('the acknowledgement of another', (f) => f.gates[0]?.ackedHere === false)
    expect(others.gates[0]).toMatchObject({ ack: 'true', action: { state: 'seen' }, ackedWith: null })

    const back = await preview({ withdraw: true })
    expect(back.call.body.data).toEqual({ [gate]: null })
    const again = await withdrawGate(operator, {
      clusterId: world.clusterId,
      gate,
      resourceVersion: back.resourceVersion,
    })
    await world.until(
      'it to be asked again',
      (f) => f.gates[0]?.action?.id === again.id && f.gates[0].action.state === 'seen',
    )
    expect(stored()).toEqual({})
    expect((await waiting()).blockers.some((b) => b.source === 'gate')).toBe(true)
  })

  test('whose text changes between look and decision is not acknowledged', async () => {
    const { resourceVersion, text } = await preview()
    await write(GATES, { [gate]: 'It also removes the default storage class.' })
    const error = await failure(acknowledgeGate(operator, { clusterId: world.clusterId, gate, text, resourceVersion }))
    expect(error).toMatchObject({
      code: 'conflict',
      message: `The gate ${gate} says something else by now. Nothing was acknowledged.`,
    })
    expect(stored()).toEqual({})
    expect((await preview()).text).toMatch(/storage class/)
  })

  test('is not acknowledged over what somebody else wrote, who is named', async () => {
    const { resourceVersion, text } = await preview()
    await write(ACKS, { 'ack-4.18-other': 'true' })
    const failed = await acknowledgeGate(operator, { clusterId: world.clusterId, gate, text, resourceVersion })
    expect(failed).toMatchObject({ state: 'failed', conflict: true })
    expect(failed.error).toMatch(
      /Somebody else changed ConfigMap openshift-config\/admin-acks .* kubectl-edit wrote it last\. It then said: acknowledged: ack-4\.18-other/,
    )
    expect(stored()).toEqual({ 'ack-4.18-other': 'true' })
    expect(await retryAction(operator, { actionId: failed.id })).toMatchObject({ state: 'failed', conflict: true })
    await write(ACKS, { 'ack-4.18-other': null })
  })

  test('that is gone, malformed or empty is refused with a sentence, and so is everybody without the role', async () => {
    await write(GATES, { bad: 'x', [`ack-${minor}-empty`]: '' })
    const look = (name: string) => failure(previewGate(operator, { clusterId: world.clusterId, gate: name }))
    expect(await look('ack-4.22-gone')).toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/is gone/) as string,
    })
    expect(await look('bad')).toMatchObject({ code: 'invalid', message: expect.stringMatching(/malformed/) as string })
    expect(await look(`ack-${minor}-empty`)).toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/no text/) as string,
    })
    expect(await look('a b')).toMatchObject({ code: 'invalid' })
    expect(await failure(previewGate(as('viewer'), { clusterId: world.clusterId, gate }))).toMatchObject({
      code: 'forbidden',
    })
    const input = { clusterId: world.clusterId, gate, text: 'x', resourceVersion: '1' }
    expect(await failure(acknowledgeGate(as('viewer'), input))).toMatchObject({ code: 'forbidden' })
    expect(await failure(withdrawGate(as('viewer'), input))).toMatchObject({ code: 'forbidden' })
    await write(GATES, { bad: null, [`ack-${minor}-empty`]: null })
  })

  test('is not made a ConfigMap for where there is none', async () => {
    await world.server.store.delete('configmaps', ACKS, SOMEBODY)
    expect(await failure(preview())).toMatchObject({
      message: expect.stringMatching(
        /admin-acks does not exist\. The Cluster Version Operator makes it again/,
      ) as string,
    })
    expect(world.server.store.get('configmaps', ACKS)).toBeUndefined()
    await world.server.store.create('configmaps', CONFIG_MAP, SOMEBODY)
  })
})
