import { afterEach, beforeEach, expect, it } from 'vitest'
import { machineDeployment, MDS, startTestServer } from './testing/client'

let t: Awaited<ReturnType<typeof startTestServer>>
let from: string
beforeEach(async () => {
  t = await startTestServer()
  await t.call('POST', MDS, machineDeployment('md'))
  from = String((await t.call('GET', MDS)).body.metadata.resourceVersion)
})
afterEach(() => t.stop())

it('answers with a code until it is switched off', async () => {
  for (const code of [500, 503, 429]) {
    t.server.faults.fail(code)
    expect((await t.call('GET', MDS)).body).toMatchObject({ kind: 'Status', code })
  }
  t.server.faults.fail(0)
  expect((await t.call('GET', MDS)).code).toBe(200)
})

it('waits before it answers', async () => {
  t.server.faults.slow(120)
  const before = performance.now()
  await t.call('GET', MDS)
  expect(performance.now() - before).toBeGreaterThan(110)
})

it('resets connections in mid-answer', async () => {
  const watch = await t.watch(`${MDS}?watch=1&resourceVersion=${from}`)
  t.server.faults.reset(true)
  await expect(watch.next()).rejects.toThrow()
  await expect(t.call('GET', MDS)).rejects.toThrow()
  t.server.faults.reset(false)
  expect((await t.call('GET', MDS)).code).toBe(200)
})

it('cuts lists and watch lines in the middle', async () => {
  const watch = await t.watch(`${MDS}?watch=1&resourceVersion=${from}`)
  t.server.faults.truncate(true)
  const list = await t.call('GET', MDS)
  expect(() => JSON.parse(list.text) as unknown).toThrow()
  await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 3 } })
  await expect(watch.next()).rejects.toThrow(SyntaxError)
})

it('sends a resuming watch away after gone, also when nothing has changed', async () => {
  const open = await t.watch(`${MDS}?watch=1&resourceVersion=${from}`)
  t.server.faults.gone()
  expect(await open.next()).toBeUndefined()
  const resumed = await t.watch(`${MDS}?watch=1&resourceVersion=${from}`)
  expect(await resumed.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } })
  const fresh = String((await t.call('GET', MDS)).body.metadata.resourceVersion)
  const again = await t.watch(`${MDS}?watch=1&resourceVersion=${fresh}`)
  await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 3 } })
  expect((await again.next())?.type).toBe('MODIFIED')
  again.close()
})

it('keeps a silenced watch silent, since it has missed what came', async () => {
  const silent = await t.watch(`${MDS}?watch=1&resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=1`)
  t.server.faults.silence(true)
  await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 3 } })
  t.server.faults.silence(false)
  await t.call('PATCH', `${MDS}/md`, { spec: { replicas: 4 } })
  const later: string[] = []
  for (let event = await silent.next(); event; event = await silent.next()) later.push(event.type)
  expect(later).toEqual([])
})
