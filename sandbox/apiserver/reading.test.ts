import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../lib/domain/json'
import { machineDeployment, MDS, startTestServer } from './testing/client'

let t: Awaited<ReturnType<typeof startTestServer>>
beforeEach(async () => {
  t = await startTestServer({ version: 'v1.33.1' })
})
afterEach(() => t.stop())

const fill = async (count: number) => {
  for (let i = 0; i < count; i++) await t.call('POST', MDS, machineDeployment(`md-${i}`, { replicas: i }))
}
const names = (body: JsonObject) => (body.items as { metadata: { name: string } }[]).map((item) => item.metadata.name)
const version = (body: { metadata: JsonObject }) => String(body.metadata.resourceVersion)

describe('discovery', () => {
  it('tells version, groups and resources', async () => {
    expect((await t.call('GET', '/version')).body).toMatchObject({ gitVersion: 'v1.33.1', major: '1', minor: '33' })
    const groups = (await t.call('GET', '/apis')).body.groups as { name: string; versions: { version: string }[] }[]
    const core = groups.find((group) => group.name === 'cluster.x-k8s.io')
    expect(core?.versions.map((v) => v.version)).toEqual(['v1beta2', 'v1beta1'])
    const resources = (await t.call('GET', '/apis/cluster.x-k8s.io/v1beta2')).body.resources as { name: string }[]
    expect(resources.map((r) => r.name)).toEqual(expect.arrayContaining(['machines', 'machines/status']))
    const schema = await t.call('GET', '/openapi/v3/apis/cluster.x-k8s.io/v1beta2')
    expect(schema.text).toContain('"maxUnavailable"')
    const crd = await t.call('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/machines.cluster.x-k8s.io')
    expect(crd.body.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/v1beta2': 'v1beta2' })
    expect((await t.call('GET', '/apis/nothing.io/v1/things')).body).toMatchObject({ code: 404, reason: 'NotFound' })
  })

  it('names the aggregated form in its content type, without which kubectl finds no resource', async () => {
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const asked = { accept: `${aggregated},application/json` }
    for (const path of ['/api', '/apis']) {
      const answer = await t.call('GET', path, undefined, undefined, asked)
      expect(answer).toMatchObject({ type: aggregated, body: { kind: 'APIGroupDiscoveryList' } })
      expect(await t.call('GET', path)).toMatchObject({ type: 'application/json' })
    }
    // A form that the server does not have: the old one, as the real server answers.
    const other = { accept: aggregated.replace('v=v2', 'v=v2beta1') + ',application/json' }
    const old = await t.call('GET', '/apis', undefined, undefined, other)
    expect(old).toMatchObject({ type: 'application/json', body: { kind: 'APIGroupList' } })
  })

  it('leaves out what the server is too old for', async () => {
    const old = await startTestServer({ mutatingPolicies: null })
    const list = await old.call('GET', '/apis/admissionregistration.k8s.io/v1')
    await old.stop()
    expect(list.text).toContain('validatingadmissionpolicies')
    expect(list.text).not.toContain('mutatingadmissionpolicies')
  })
})

describe('lists', () => {
  it('pages over one snapshot', async () => {
    await fill(5)
    const first = await t.call('GET', `${MDS}?limit=2`)
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 3 })
    await t.call('DELETE', `${MDS}/md-3`)
    await t.call('POST', MDS, machineDeployment('md-2a'))
    const second = await t.call('GET', `${MDS}?limit=2&continue=${String(first.body.metadata.continue)}`)
    const third = await t.call('GET', `${MDS}?limit=2&continue=${String(second.body.metadata.continue)}`)
    expect([...names(first.body), ...names(second.body), ...names(third.body)]).toEqual([
      'md-0',
      'md-1',
      'md-2',
      'md-3',
      'md-4',
    ])
    expect(new Set([first, second, third].map((page) => version(page.body))).size).toBe(1)
    expect(third.body.metadata.continue).toBeUndefined()
    expect(names((await t.call('GET', MDS)).body)).toEqual(['md-0', 'md-1', 'md-2', 'md-2a', 'md-4'])
  })

  it('refuses to continue what it has forgotten, and tokens that are none', async () => {
    await fill(3)
    const first = await t.call('GET', `${MDS}?limit=1`)
    t.server.faults.gone()
    const late = await t.call('GET', `${MDS}?limit=1&continue=${String(first.body.metadata.continue)}`)
    expect(late.body).toMatchObject({ code: 410, reason: 'Expired' })
    expect((await t.call('GET', `${MDS}?continue=x`)).code).toBe(400)
  })

  it('selects by labels, fields and version', async () => {
    await fill(3)
    await t.call('PATCH', `${MDS}/md-1`, { metadata: { labels: { tier: 'gold' } } })
    const exact = version((await t.call('GET', MDS)).body)
    await t.call('DELETE', `${MDS}/md-0`)
    const select = async (query: string) => names((await t.call('GET', `${MDS}?${query}`)).body)
    expect(await select('labelSelector=tier%3Dgold')).toEqual(['md-1'])
    expect(await select('labelSelector=tier+notin+(gold,silver)')).toEqual(['md-2'])
    expect(await select('labelSelector=!tier')).toEqual(['md-2'])
    expect(await select('fieldSelector=metadata.name%3Dmd-2')).toEqual(['md-2'])
    expect(await select(`resourceVersion=${exact}&resourceVersionMatch=Exact`)).toEqual(['md-0', 'md-1', 'md-2'])
    expect((await t.call('GET', `${MDS}?fieldSelector=spec.x%3Dy`)).code).toBe(400)
    expect((await t.call('GET', `${MDS}?resourceVersion=99999999&resourceVersionMatch=NotOlderThan`)).code).toBe(504)
  })
})

describe('watches', () => {
  it('resume where a list ended, and tell of every change once', async () => {
    await fill(1)
    const from = version((await t.call('GET', MDS)).body)
    await t.call('PATCH', `${MDS}/md-0`, { spec: { replicas: 9 } })
    const watch = await t.watch(`${MDS}?watch=true&resourceVersion=${from}`)
    expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { spec: { replicas: 9 } } })
    await t.call('PATCH', `${MDS}/md-0`, { spec: { replicas: 9 } })
    await t.call('DELETE', `${MDS}/md-0`)
    const gone = await watch.next()
    expect(gone).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'md-0' } } })
    expect(Number(gone?.object.metadata.resourceVersion)).toBeGreaterThan(Number(from) + 1)
    watch.close()
  })

  it('follow a selector in and out', async () => {
    await fill(1)
    const from = version((await t.call('GET', MDS)).body)
    const watch = await t.watch(`${MDS}?watch=1&resourceVersion=${from}&labelSelector=on`)
    for (const on of ['1', '2', null]) await t.call('PATCH', `${MDS}/md-0`, { metadata: { labels: { on } } })
    expect([(await watch.next())?.type, (await watch.next())?.type, (await watch.next())?.type]).toEqual([
      'ADDED',
      'MODIFIED',
      'DELETED',
    ])
    watch.close()
  })

  it('bookmark where wanted, and end in time', async () => {
    await fill(1)
    const watch = await t.watch(`${MDS}?watch=1&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=1`)
    expect((await watch.next())?.type).toBe('ADDED')
    const bookmark = await watch.next(true)
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'MachineDeployment' } })
    expect(bookmark?.object.metadata.resourceVersion).toBe(version((await t.call('GET', MDS)).body))
    expect(await watch.next()).toBeUndefined()
  })

  it('say 410 when the window has passed', async () => {
    const small = await startTestServer({ window: 4 })
    await small.call('POST', MDS, machineDeployment('md'))
    const from = version((await small.call('GET', MDS)).body)
    for (let replicas = 2; replicas < 12; replicas++) await small.call('PATCH', `${MDS}/md`, { spec: { replicas } })
    const watch = await small.watch(`${MDS}?watch=1&resourceVersion=${from}`)
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired' },
    })
    expect(await watch.next()).toBeUndefined()
    await small.stop()
  })
})
