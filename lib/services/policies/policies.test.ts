import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, failure } from '@/testenv/deciding'
import { ROLES } from '../context'
import type { ServiceError } from '../errors'
import { exportPolicies } from './export-policies'
import { importPolicies } from './import-policies'
import { listPolicies } from './list-policies'
import { policyVersions } from './policy-versions'
import { previewPolicy } from './preview-policy'
import { removePolicy } from './remove-policy'
import { savePolicy } from './save-policy'

useTestDatabase()

const admin = as('admin')
const spec = { select: { namespaces: ['payments'] }, approvals: 2 }
const WINDOW = (days: string): string =>
  `name: a\nselect: {}\nwindows:\n  - starts: 2026-01-06T22:00\n    lasts: 4h\n    repeats: FREQ=WEEKLY;BYDAY=${days}\n    timeZone: UTC\n`
const actions = async () =>
  (await db().auditEvent.findMany({ orderBy: { id: 'asc' } })).map(
    ({ action, targetName }) => `${action} ${targetName}`,
  )

describe('writing', () => {
  test.each(ROLES)('%s', async (role) => {
    const attempts = [
      savePolicy(as(role), { name: 'BAD NAME', spec }),
      removePolicy(as(role), { policyId: randomUUID(), version: 1 }),
      importPolicies(as(role), { text: '' }),
    ]
    const allowed = await Promise.all(attempts.map(async (attempt) => (await failure(attempt)).code !== 'forbidden'))
    expect(new Set(allowed)).toEqual(new Set([role === 'admin']))
    await listPolicies(as(role))
  })

  test('a policy, its next version, and its end: every version stays readable', async () => {
    const { id, version } = await savePolicy(admin, { name: 'prod', spec })
    expect(version).toBe(1)
    const next = await savePolicy(admin, { policyId: id, version, name: 'production', spec: { ...spec, approvals: 3 } })
    expect(next).toEqual({ id, name: 'production', version: 2 })
    const { policies } = await listPolicies(as('viewer'))
    expect(policies).toMatchObject([{ name: 'production', version: 2, updatedBy: 'Ada', spec: { approvals: 3 } }])
    await removePolicy(admin, { policyId: id, version: 2 })
    expect(
      (await policyVersions(as('viewer'), { policyId: id })).map((v) => [v.version, v.name, v.spec?.approvals]),
    ).toEqual([
      [3, 'production', undefined],
      [2, 'production', 3],
      [1, 'prod', 2],
    ])
    expect(await actions()).toEqual([
      'rollout-policy.added prod',
      'rollout-policy.changed production',
      'rollout-policy.removed production',
    ])
  })

  test('nobody’s change is lost, and no name is taken twice', async () => {
    const { id, version } = await savePolicy(admin, { name: 'once', spec })
    await savePolicy(admin, { policyId: id, version, name: 'once', spec: { select: {} } })
    const lost = { policyId: id, version, name: 'once', spec }
    expect((await failure(savePolicy(admin, lost))).code).toBe('conflict')
    expect((await failure(savePolicy(admin, { ...lost, version: undefined }))).code).toBe('conflict')
    expect((await failure(removePolicy(admin, { policyId: id, version }))).code).toBe('conflict')
    const taken = await failure(savePolicy(admin, { name: 'once', spec }))
    expect(taken).toMatchObject({ code: 'conflict', more: { fields: [{ field: 'name' }] } })
    expect((await failure(savePolicy(admin, { policyId: randomUUID(), version: 1, name: 'x', spec }))).code).toBe(
      'not-found',
    )
  })

  test.each<[object, string]>([
    [{ surge: 1 }, 'A policy does not know surge. It knows: select, strategy,'],
    [{ waves: [] }, 'It is empty'],
    [{ waves: 'all' }, 'Write waves as a list.'],
    [{ waves: [{ size: 1 }] }, 'Give each wave a name.'],
    [{ waves: [{ name: 'a', size: 0 }] }, 'Write a number of groups, or a share of them as 10%.'],
    [{ maxSurge: '101%' }, 'Write a number of machines, or a share of them as 25%, at most 100%.'],
    [{ waves: [{ name: 'a', soak: 'never' }] }, 'Write a time as 30m, 24h or 7d: in minutes, hours or days.'],
    [{ waves: [{ name: 'a', order: 1 }] }, 'A policy does not know order. It knows: name, select, size'],
    [{ waves: [{ name: 'a', select: { names: [] } }] }, 'It is empty'],
    [{ waves: [{ name: 'a', size: 1 }, { name: 'a' }] }, 'There is another wave of this name.'],
    [{ waves: [{ name: 'a' }, { name: 'b' }] }, 'It takes every group, so nothing is left for those after it.'],
    [{ waves: [{ name: 'rest', size: 1 }, { name: 'b' }] }, 'The last wave is called rest'],
    [{ windows: [] }, 'It is empty'],
    [{ windows: 'never' }, 'Write windows as a list.'],
    [{ freezes: [{ starts: 'x', lasts: '4h', timeZone: 'UTC' }] }, 'Write local time as'],
    [{ windows: [{ starts: '2026-01-01T22:00', lasts: '4h', timeZone: 'Berlin' }] }, 'There is no such time zone'],
    [
      { windows: [{ starts: '2026-01-01T22:00', lasts: '4h', timeZone: 'UTC', zone: 'UTC' }] },
      'A policy does not know zone',
    ],
    [{ select: { cluster: ['a'] } }, 'A policy does not know cluster: clusters?'],
    [{ aprovals: 1 }, 'A policy does not know aprovals: approvals?'],
    [{ aprovals: 1, surge: 1 }, 'A policy does not know aprovals (approvals?), surge. It knows: select,'],
    [{ select: { names: ['a b'] } }, 'This is no name of a group, nor a pattern with *.'],
    [{ select: { names: 'a' } }, 'Write the names of a group as a list.'],
    [
      { select: { kinds: ['MachineSet'] } },
      'A group is a MachineDeployment, a KubeadmControlPlane or a MachineConfigPool.',
    ],
    [{ select: { labels: { env: true } } }, 'The value of a label is a text; quote it.'],
    [
      { select: { labels: { 'a b': 'c' } } },
      'This is not the key of a label. In the form, write labels as key=value, each key once; in YAML as key: value.',
    ],
    [{ select: { names: [] } }, 'It is empty: leave it out where it is not to restrict.'],
    [{ select: { labels: {} } }, 'It is empty: leave it out where it is not to restrict.'],
    [
      { select: { labels: JSON.parse('{"__proto__":"x"}') as object } },
      'This is not the key of a label. In the form, write labels as key=value, each key once; in YAML as key: value.',
    ],
    [{ strategy: 'in place' }, 'A strategy is one of: in-place-only, prefer-in-place, replace.'],
    [{ approvals: 1.5 }, 'Approvals are a whole number from 0 to 10.'],
    [{ approvals: 11 }, 'Approvals are a whole number from 0 to 10.'],
    [
      { select: { kinds: ['KubeadmControlPlane'] }, maxSurge: 2 },
      'only, and of control planes it is 0 or 1. Write 0 or 1',
    ],
    [{ select: { kinds: ['KubeadmControlPlane'] }, maxSurge: '25%' }, 'of control planes it is 0 or 1'],
    [
      { select: { kinds: ['KubeadmControlPlane'] }, maxUnavailable: 1 },
      'this rule is for worker groups only. Leave it out.',
    ],
    [{ select: { kinds: ['KubeadmControlPlane'] }, scaleWhileHeld: true }, 'this rule is for worker groups only'],
    [{ select: { kinds: ['MachineDeployment'] }, holdLimit: '7d' }, 'this rule is for control planes only'],
    [{ select: { kinds: ['MachineConfigPool'] }, holdLimit: '7d' }, 'This policy is for pools only'],
    [
      { select: { kinds: ['MachineConfigPool'] }, maxSurge: 2 },
      'pools only, and this rule is for groups of Cluster API only. Leave it out.',
    ],
    [{ maxSurge: 0, maxUnavailable: '0%' }, 'With both 0 no machine could ever move: write 1 here'],
    [{ remindAfter: '4h', escalateAfter: '1h' }, 'After 1h everybody sees it, and only after 4h people are reminded'],
    [{ escalateAfter: '8d', holdLimit: '7d' }, 'write 8d or more here, or have it sooner that everybody sees it.'],
    [{ remindAfter: '8d', holdLimit: '7d' }, 'or have it sooner that people are reminded.'],
    [{ notTheAuthor: 'yes' }, 'Say true or false.'],
    [{ expiresAfter: 24 }, 'Write a time as 30m, 24h, 7d or never: in minutes, hours or days.'],
    [{ expiresAfter: '1 day' }, 'Write a time as 30m, 24h, 7d or never: in minutes, hours or days.'],
  ])('%j is refused in words', async (wrong, message) => {
    const refused = await failure(savePolicy(admin, { name: 'wrong', spec: wrong }))
    expect(refused.code).toBe('invalid')
    expect(refused.message).toContain(message)
  })
})

test.each([
  { select: { kinds: ['KubeadmControlPlane'] }, maxSurge: 0 },
  { select: { kinds: ['KubeadmControlPlane', 'MachineDeployment'] }, maxSurge: 2, maxUnavailable: 1 },
  { maxSurge: '25%', holdLimit: '7d', scaleWhileHeld: true },
  { remindAfter: 'never', escalateAfter: '1h', holdLimit: '1h' },
])('%j is saved', async (wish) => {
  expect((await savePolicy(admin, { name: `s-${randomUUID()}`, spec: wish })).version).toBe(1)
})

describe('as YAML', () => {
  test('what is exported can be imported: all of it, or nothing', async () => {
    await db().rolloutPolicy.deleteMany({})
    await savePolicy(admin, { name: 'a', spec: { select: {}, strategy: 'replace' } })
    await savePolicy(admin, {
      name: 'b',
      spec: { select: { labels: { env: 'prod' } }, approvals: 2, expiresAfter: '24h' },
    })
    const text = await exportPolicies(as('viewer'))
    await db().rolloutPolicy.deleteMany({ where: { name: 'a' } })
    expect(await importPolicies(admin, { text })).toMatchObject([
      { name: 'a', version: 1, is: 'new' },
      { name: 'b', version: 1, is: 'same' },
    ])
    expect(await exportPolicies(as('viewer'))).toBe(text)
    const before = (await actions()).length
    expect(await importPolicies(admin, { text: text.replace('approvals: 2', 'approvals: 3') })).toMatchObject([
      { name: 'a', version: 1, is: 'same' },
      { name: 'b', version: 2, is: 'changed' },
    ])
    expect((await actions()).slice(before)).toEqual(['rollout-policy.changed b'])
  })

  test('each thing that is wrong is said once, with its line', async () => {
    const refused = await failure(importPolicies(admin, { text: 'name: a\naprovals: 1\n---\nname: B\nstrategy: x\n' }))
    expect(refused.message).toBe('3 things are wrong in it:')
    expect(refused.more.fields!.map(({ field, message }) => `${field}: ${message.slice(0, 24)}`)).toEqual([
      'line 2: A policy does not know a',
      'line 4: name: A name has lower-c',
      'line 5: strategy: A strategy is ',
    ])
  })

  test.each([
    ['name: a\napprovals: 1\n---\nname: b\napprovals: many\n', 'line 5: approvals: Approvals are a whole number'],
    ['name: a\n---\nname: a\n', 'a stands there twice: leave one out'],
    ['# nothing\n', 'There is no policy in it.'],
    ['- a\n', 'line 1: A policy is written as key: value'],
    ['name: [\n', 'line 2: This is no YAML'],
    ['name: a\nname: b\n', 'This is no YAML: Map keys must be unique'],
    ['name: a\nselect:\n  names:\n    - *-prod\n', "has to be quoted: '*-prod'."],
    ['name: a\nselect: {names: [*]}\n', "has to be quoted: '*-prod'."],
    ['name: a\nselect: {names: []}\n', 'line 2: select.names: It is empty'],
    ['name: a\nselect:\n  names:\n    - fine\n    - not fine\n', 'line 5: select.names 2: This is no name of a group'],
    ['name: a\nselect:\n  name: [x]\n', 'line 3: select: A policy does not know name: names?'],
    [WINDOW('SAT'), 'line 6: window 1, repeats: BYDAY cannot be “SAT”; days are MO, TU'],
    [WINDOW('SA').replace('timeZone', 'zone: x\n    timeZone'), 'line 7: window 1: A policy does not know zone.'],
    [WINDOW('SA').replace('    lasts: 4h\n', ''), 'line 4: window 1, lasts: Say how long it lasts'],
    ['approvals: 1\n', 'line 1: name: Give the policy a name.'],
    ['---\nname: a\n'.repeat(201), 'At most 200 policies at once.'],
    ['name: a\nselect: {names: [x]}\nfreeze: true\n', 'line 3: A policy does not know freeze: freezes?'],
  ])('%j', async (text, message) => {
    const before = await db().rolloutPolicyVersion.count()
    const refused = await failure(importPolicies(admin, { text }))
    expect(refused).toMatchObject({ code: 'invalid', more: { hint: 'Nothing was saved.' } })
    expect(refused.message).toContain(message)
    expect(await db().rolloutPolicyVersion.count()).toBe(before)
  })
})

test('a policy says which of the clusters that it names are disconnected', async () => {
  await db().rolloutPolicy.deleteMany({})
  const made = (name: string, state: string) =>
    db().managementCluster.create({ data: { name, server: 'https://127.0.0.1:1', state } })
  const { id } = await made('left', 'disconnected')
  const { id: there } = await made('there', 'connected')
  await savePolicy(admin, { name: 'night', spec: { select: { clusters: ['left', 'there'] } } })
  await savePolicy(admin, { name: 'all', spec: { select: {} } })
  const { policies } = await listPolicies(admin)
  expect(Object.fromEntries(policies.map(({ name, disconnected }) => [name, disconnected]))).toEqual({
    ...{ night: ['left'], all: [] },
  })
  await db().managementCluster.deleteMany({ where: { id: { in: [id, there] } } })
})

test('several who write at once do not wait for each other for ever', async () => {
  await db().rolloutPolicy.deleteMany({})
  const text = (names: string[]) => names.map((name) => `name: ${name}\n`).join('---\n')
  await importPolicies(admin, { text: text(['p1', 'p2']) })
  const { policies } = await listPolicies(admin)
  const save = async (round: number) => {
    const p2 = policies.find(({ name }) => name === 'p2')!
    await savePolicy(admin, { policyId: p2.id, version: round, name: 'p2', spec: { select: {} } }).catch(
      (error: ServiceError) => expect(error.code).toBe('conflict'),
    )
  }
  for (let round = 1; round <= 5; round++)
    await Promise.all([
      importPolicies(admin, { text: text(['p1', 'p2']) }),
      save(round),
      importPolicies(admin, { text: text(['p2', 'p1']) }),
    ])
})

describe('before it is saved', () => {
  const clusterId = randomUUID()
  beforeAll(async () => {
    await db().rolloutPolicy.deleteMany({})
    await db().managementCluster.create({ data: { id: clusterId, name: 'atlas', server: 'https://x' } })
    const group = (name: string, workloadCluster: string, replicas: number, kind = 'MachineDeployment') => ({
      ...{ id: randomUUID(), clusterId, kind, apiVersion: 'cluster.x-k8s.io/v1beta2', namespace: 'fleet', name },
      ...{ workloadCluster, replicas, resourceVersion: '1', createdAt: new Date() },
    })
    await db().group.createMany({
      data: [
        group('prod-a', 'prod', 3),
        group('prod-b', 'prod', 5),
        group('stage-a', 'stage', 2),
        group('other', 'prod', 9, 'MachineSet'),
      ],
    })
    const workload = (name: string) => ({
      ...{ id: randomUUID(), clusterId, namespace: 'fleet', name, provider: 'cluster-api', labels: { env: name } },
    })
    await db().workloadCluster.createMany({ data: [workload('prod'), workload('stage')] })
  })

  test('which groups it is for, what holds for each now, and what would', async () => {
    await savePolicy(admin, { name: 'one', spec: { select: { names: ['prod-a'] }, approvals: 1 } })
    const preview = await previewPolicy(as('viewer'), {
      name: 'two',
      spec: { select: { labels: { env: 'prod' } }, approvals: 2 },
    })
    expect(preview).toMatchObject({ matching: 2, changing: 1, machines: 8, taken: null })
    expect((await previewPolicy(as('viewer'), { name: 'one', spec: { approvals: 2 } })).taken).toBe('one')
    expect(preview.groups.map(({ name, changes }) => [name, changes])).toEqual([
      ['prod-b', ['approvals']],
      ['prod-a', []],
    ])
    expect(preview.groups[0]!.then.approvals).toMatchObject({ value: 2, policy: { name: 'two' } })
    expect(preview.groups[1]!.then.approvals).toMatchObject({ value: 1, policy: { name: 'one' } })
    const loses = { rule: 'approvals', value: 2, policy: 'one', theirs: 1, groups: 1 }
    expect(preview.overruled).toEqual([{ ...loses, asClose: false }])
    // As close, and less strict: it does not count either.
    const lax = await previewPolicy(as('viewer'), {
      name: 'lax',
      spec: { select: { names: ['prod-a'] }, approvals: 0 },
    })
    expect(lax.overruled).toMatchObject([{ policy: 'one', theirs: 1, asClose: true }])
    const same = await previewPolicy(as('viewer'), {
      name: 'same',
      spec: { select: { names: ['prod-a'] }, approvals: 1 },
    })
    expect(same.overruled).toEqual([])
    const names = { updaterOrder: ['nosuch'] }
    expect((await previewPolicy(as('viewer'), { name: 'u', spec: names })).strangeUpdaters).toEqual(['nosuch'])
    // What is saved already is no other rule.
    const { id: policyId } = await savePolicy(admin, { name: 'u', spec: { select: { names: ['prod-a'] }, ...names } })
    const again = { policyId, name: 'u', spec: { select: { names: ['prod-a'] }, ...names } }
    expect(await previewPolicy(as('viewer'), again)).toMatchObject({ matching: 1, changing: 0 })
    await removePolicy(admin, { policyId, version: 1 })
  })

  test('what loses to one that is closer by its kind, and to a stricter one with another label', async () => {
    const save = (name: string, more: object) =>
      savePolicy(admin, {
        name,
        spec: { select: { labels: { env: 'prod' }, ...more }, notTheAuthor: name === 'strict' },
      })
    const lost = async (pattern: string, notTheAuthor: boolean) =>
      (await previewPolicy(as('viewer'), { name: 'l', spec: { select: { labels: { env: pattern } }, notTheAuthor } }))
        .overruled
    const { id: kinds } = await save('kinds', { kinds: ['MachineDeployment'] })
    expect(await lost('prod', true)).toMatchObject([{ policy: 'kinds', theirs: false, asClose: false }])
    await removePolicy(admin, { policyId: kinds, version: 1 })
    const { id: strict } = await save('strict', {})
    expect(await lost('pr*', false)).toMatchObject([{ policy: 'strict', theirs: true, asClose: true }])
    await removePolicy(admin, { policyId: strict, version: 1 })
  })

  test('that nobody could go where fewer people may approve than it asks for', async () => {
    const asks = async (rules: object) =>
      (await previewPolicy(as('viewer'), { name: 'p', spec: { select: { names: ['stage-a'] }, ...rules } })).tooFew
    const people = await db().user.count({ where: { disabledAt: null, role: { in: ['approver', 'admin'] } } })
    expect(await asks({ approvals: people })).toBeNull()
    expect(await asks({ approvals: people + 1 })).toEqual({ asked: people + 1, besides: false, people })
    const user = (role: string, more = {}) =>
      db().user.create({ data: { id: randomUUID(), name: role, email: `${randomUUID()}@x.org`, role, ...more } })
    await Promise.all([user('approver'), user('operator'), user('admin', { disabledAt: new Date() })])
    expect(await asks({ approvals: people + 1 })).toBeNull()
    expect(await asks({ approvals: people + 1, notTheAuthor: true })).toMatchObject({ besides: true })
  })

  test('what an edited one is no longer for', async () => {
    const { id } = await savePolicy(admin, {
      name: 'moved',
      spec: { select: { names: ['prod-b'] }, strategy: 'replace' },
    })
    const edited = { policyId: id, name: 'moved', spec: { select: { names: ['stage-*'] }, strategy: 'replace' } }
    const preview = await previewPolicy(as('viewer'), edited)
    expect(preview).toMatchObject({ matching: 1, changing: 2, machines: 2 })
    expect(preview.groups.map(({ name, then }) => [name, then.strategy.value])).toEqual([
      ['prod-b', 'prefer-in-place'],
      ['stage-a', 'replace'],
    ])
  })

  test('what means nothing for some of its groups, and labels that no workload cluster has', async () => {
    const plane = { clusterId, kind: 'KubeadmControlPlane', apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2' }
    await db().group.create({
      data: {
        ...{ ...plane, id: randomUUID(), namespace: 'fleet', name: 'prod-cp', workloadCluster: 'prod', replicas: 3 },
        ...{ strategy: 'RollingUpdate', maxSurge: '1', resourceVersion: '1', createdAt: new Date() },
      },
    })
    await db().group.updateMany({ where: { name: { startsWith: 'prod-' } }, data: { strategy: 'RollingUpdate' } })
    const look = (given: object) => previewPolicy(as('viewer'), { name: 'surge', spec: given })
    const { idle, groups } = await look({ select: { names: ['prod-a', 'prod-cp'] }, maxSurge: 2 })
    expect(idle).toEqual([{ words: 'maxSurge 2', groups: 1, why: 'of control planes it is 0 or 1' }])
    expect((await look({ select: { names: ['prod-a', 'prod-cp'] }, holdLimit: '9d' })).idle).toEqual([])
    expect(groups.map(({ name, changes, then }) => [name, changes, then.maxSurge.value])).toEqual([
      ['prod-a', ['maxSurge'], 2],
      ['prod-cp', [], null],
    ])
    const strange = async (labels: Record<string, string>) => (await look({ select: { labels } })).strangeLabels
    expect(await strange({ env: 'prodd' })).toEqual([{ label: 'env=prodd', there: ['env=prod', 'env=stage'] }])
    expect(await strange({ evn: '*' })).toEqual([{ label: 'evn', there: ['env'] }])
    expect(await strange({ env: 'pro*' })).toEqual([])
    const waves = [{ name: 'a', select: { labels: { tier: 'canary' } } }, { name: 'rest' }]
    expect((await look({ select: { names: ['prod-a'] }, waves })).strangeLabels).toMatchObject([
      { label: 'tier=canary' },
    ])
  })

  test('windows that are never open together, and waves of another policy', async () => {
    const window = (starts: string) => [{ starts, lasts: '1h', repeats: 'FREQ=DAILY', timeZone: 'UTC' }]
    const select = { names: ['stage-a'] }
    const waves = [{ name: 'a', size: 1 }, { name: 'b', size: 1 }, { name: 'rest' }]
    await savePolicy(admin, { name: 'win-a', spec: { select, windows: window('2026-01-01T01:00'), waves } })
    const look = (given: object) => previewPolicy(as('viewer'), { name: 'win-b', spec: given })
    const shut = await look({ select, windows: window('2026-01-01T02:00'), waves: [{ name: 'c', size: 1 }] })
    expect(shut.neverOpen).toEqual([{ policies: ['win-a', 'win-b'], groups: 1 }])
    expect(shut.otherWaves).toEqual([{ policy: 'win-a', groups: 1, asClose: true }])
    const open = await look({ select: { namespaces: ['fleet'] }, windows: window('2026-01-01T02:00'), waves })
    expect(open.neverOpen).toEqual([])
    expect(open.otherWaves).toEqual([{ policy: 'win-a', groups: 1, asClose: false }])
  })
})
