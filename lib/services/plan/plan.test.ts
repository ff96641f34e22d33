import { randomBytes } from 'node:crypto'
import { stringify } from 'yaml'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import { whyWords } from '@/lib/domain/policies'
import { MD } from '@/testenv/held'
import { operator, planningCluster } from '@/testenv/plan-cluster'
import { until } from '@/testenv/process'
import { planChange } from './plan-change'
import type { PlanPolicy } from './plan-policy'

useTestDatabase()

const CONFIGS = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
const { at, w: open, plan, only, groupId, deployment, md } = planningCluster()
const template = (name: string, startup: string): string =>
  stringify({
    ...{ apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'DevMachineTemplate' },
    metadata: { name, namespace: open.namespace },
    spec: { template: { spec: { backend: { inMemory: { vm: { provisioning: { startupDuration: startup } } } } } } },
  })

describe('what a plan says of groups', () => {
  test('a version: the machines by name, replaced as no updater is there, and held by the latch', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'v1.34.1'
    const { verdict, headline, documents, groups } = await plan(md(spec))
    expect(documents).toMatchObject([{ line: 1, outcome: 'changed' }])
    expect(verdict).toBe('replace')
    expect(headline).toBe('Applied, this comes to: 2 machines deleted, 2 machines created.')
    expect(groups).toHaveLength(1)
    expect(groups[0]).toMatchObject({ what: 'changed', heldBy: 'latch', machines: 2, waiting: null })
    expect(groups[0]!.machinesList.map((m) => m.verdict)).toEqual(['replace', 'replace'])
    expect(groups[0]!.hull.counts).toEqual([{ mark: 'replace', count: 2 }])
    expect(groups[0]!.changeSet.fields).toEqual([
      { object: 'machine', path: 'version', current: 'v1.34.0', desired: 'v1.34.1' },
    ])
    const { inPlace, replace } = groups[0]!.course!
    expect(inPlace).toBeNull()
    expect(replace).toMatchObject({ created: 2, deleted: 2, moving: 4, floor: 1, most: 2 })
    expect(replace!.estimate!.p90).toBeGreaterThan(0)
    expect(await db().change.count()).toBe(0)
    expect((await deployment()).template.spec.version).toBe('v1.34.0')
  })

  test('what policies ask of it, and that it would stay held', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'v1.34.1'
    const select = { names: [`${open.name}-md`] }
    const policy = { select, strategy: 'in-place-only', approvals: 2 }
    const { id } = await db().rolloutPolicy.create({ data: { name: 'careful', spec: policy } })
    try {
      const { policy: asked, course } = (await plan(md(spec))).groups[0]!
      const { rules, notes, forbidden } = asked as PlanPolicy
      expect(rules.approvals).toMatchObject({ value: 2, policy: { name: 'careful' } })
      expect(whyWords(rules.approvals)).toBe(`policy careful, version 1: it names the group ${open.name}-md`)
      expect(notes[0]).toMatch(/^It would stay held. The policy careful allows in place only/)
      // Nobody is shown a rollout that nobody could approve.
      expect(forbidden).toEqual(['replace'])
      expect(course).toEqual({ inPlace: null, replace: null })
    } finally {
      await db().rolloutPolicy.delete({ where: { id } })
    }
    const after = (await plan(md(spec))).groups[0]!
    expect(after).toMatchObject({ notes: [], policy: { notes: [], forbidden: [] } })
  })

  test('played forward as the group would roll by then, not as it does now', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'v1.34.1'
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 }
    const wanted = { ...spec, rollout: { strategy: { type: 'RollingUpdate', rollingUpdate } } }
    const { groups } = await plan(md(wanted))
    expect(groups[0]!.course!.replace).toMatchObject({ floor: 2, lowest: 2, most: 3 })
  })

  test('a version, and fewer machines: what is said and what is played are the same numbers', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'v1.34.1'
    const { headline, groups } = await plan(md({ ...spec, replicas: 1 }))
    expect(headline).toBe('Applied, this comes to: 2 machines deleted, 1 machine created.')
    const [{ outlook, course, headline: words }] = groups as [(typeof groups)[number]]
    expect(outlook.replace).toMatchObject({ counts: { replace: 1 }, created: 1, deleted: 2, removed: 1 })
    expect(course!.replace).toMatchObject({ created: 1, deleted: 2 })
    expect(words).toContain('; 1 machine would be deleted besides (1 wanted, 2 there).')
  })

  test('a date that lies ahead: what it will do is said, as it will be when the change waits', async () => {
    const spec = await deployment()
    const after = new Date(Date.now() + 86_400_000).toISOString()
    const { verdict, groups } = await plan(md({ ...spec, rollout: { after } }))
    expect(verdict).toBe('replace')
    expect(groups[0]).toMatchObject({ what: 'changed', heldBy: 'latch', machines: 2 })
    expect(groups[0]!.machinesList.map((m) => m.verdict)).toEqual(['replace', 'replace'])
    expect(JSON.stringify(groups[0]!.machinesList)).toContain('when that comes, Cluster API replaces whatever is older')
  })

  test('what is so already changes nothing, also as kubectl prints it', async () => {
    const live = await at.cluster.admin.get(MD, `${open.name}-md`, open.namespace)
    const { verdict, headline, documents, groups } = await plan(JSON.stringify(live))
    expect(documents[0]).toMatchObject({ outcome: 'unchanged' })
    expect(groups[0]).toMatchObject({ what: 'unchanged', verdict: 'nothing', heldBy: 'none' })
    expect({ verdict, headline }).toEqual({ verdict: 'nothing', headline: 'No machine would be touched.' })
  })

  test('labels of the machines are written to those that are there, and nobody rolls out', async () => {
    const spec = await deployment()
    const template = { ...spec.template, metadata: { labels: { tier: 'gold' } } }
    const { verdict, groups } = await plan(md({ ...spec, template }))
    expect(verdict).toBe('nothing')
    expect(groups[0]!.changeSet).toMatchObject({
      pairs: [],
      fields: [{ object: 'machine', path: 'metadata.labels.tier', desired: 'gold', always: true }],
    })
  })

  test.each([
    ['cluster.x-k8s.io/v1beta2', 'MachineDeploymnet'],
    ['cluster.x-k8s.o/v1beta2', 'MachineDeployment'],
    ['v1beta2', 'MachineSet'],
  ])('%s %s is not passed over: nobody serves it', async (apiVersion, kind) => {
    const { verdict, documents } = await plan(
      JSON.stringify({ apiVersion, kind, metadata: { name: 'a', namespace: 'b' } }),
    )
    expect(verdict).toBe('invalid')
    expect(documents[0]!.sentence).toMatch(new RegExp(`does not serve ${kind} in ${apiVersion}`))
  })

  test('its own labels are a change that touches no machine', async () => {
    const live = await at.cluster.admin.get(MD, `${open.name}-md`, open.namespace)
    const labels = { ...live.metadata.labels, team: 'blue' }
    const { verdict, documents } = await plan(JSON.stringify({ ...live, metadata: { ...live.metadata, labels } }))
    expect(verdict).toBe('nothing')
    expect(documents[0]).toMatchObject({
      outcome: 'changed',
      sentence: expect.stringMatching(/labels and annotations only/),
    })
  })

  test('only more or fewer machines', async () => {
    const more = await plan(md({ ...(await deployment()), replicas: 5 }))
    expect(more).toMatchObject({ verdict: 'nothing', headline: 'Applied, this comes to: 3 machines created.' })
    expect(more.groups[0]!.headline).toBe(
      `No machine of ${open.name}-md would be updated or replaced; 3 machines would be created (5 wanted, 2 there).`,
    )
    expect(more.groups[0]!.hull.counts).toContainEqual({ mark: 'new', count: 3 })
    const fewer = await plan(md({ ...(await deployment()), replicas: 1 }))
    expect(fewer).toMatchObject({ verdict: 'replace', headline: 'Applied, this comes to: 1 machine deleted.' })
  })

  test('a group that does not exist yet', async () => {
    const spec = await deployment()
    const { documents, groups, verdict } = await plan(md({ ...spec, replicas: 3, selector: {} }, 'fresh'))
    expect(documents[0]).toMatchObject({ outcome: 'new' })
    expect(groups[0]).toMatchObject({ groupId: null, what: 'new', machines: 0 })
    expect(groups[0]!.headline).toBe('fresh does not exist yet: 3 machines would be created.')
    expect(verdict).toBe('nothing')
  })

  test('two groups in one text, each with its own; what is not about machines is said to be so', async () => {
    const spec = await deployment()
    spec.template.spec.version = 'v1.34.1'
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: {} }
    const kcp = stringify({
      ...{ apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', kind: 'KubeadmControlPlane' },
      metadata: { name: `${open.name}-cp`, namespace: open.namespace },
      spec: {
        ...(await at.cluster.admin
          .get(
            { group: 'controlplane.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmcontrolplanes' },
            `${open.name}-cp`,
            open.namespace,
          )
          .then((o) => o.spec)),
        version: 'v1.34.2',
      },
    })
    const { documents, groups } = await plan([md(spec), stringify(map), kcp].join('---\n'))
    expect(documents.map((d) => d.outcome)).toEqual(['changed', 'beside', 'changed'])
    expect(groups.map((g) => [g.groupKind, g.toVersion])).toEqual([
      ['KubeadmControlPlane', 'v1.34.2'],
      ['MachineDeployment', 'v1.34.1'],
    ])
  })

  test('a template that is not there blocks; given with the group, it does not', async () => {
    const spec = await deployment()
    spec.template.spec.infrastructureRef = { ...spec.template.spec.infrastructureRef, name: 'next' }
    const without = await plan(md(spec))
    expect(without).toMatchObject({ verdict: 'blocked', groups: [{ verdict: 'blocked' }] })
    expect(without.groups[0]!.outlook.whyNotInPlace).toMatch(/next does not exist|update gate is not registered/)
    const both = await plan([md(spec), template('next', '9s')].join('---\n'))
    expect(both.verdict).toBe('replace')
    expect(both.documents[1]!.sentence).toContain(`${open.name}-md uses it.`)
    expect(both.groups[0]!.changeSet.fields.map((f) => `${f.object} ${f.path}`)).toContain(
      'infrastructure backend.inMemory.vm.provisioning.startupDuration',
    )
  })

  test('a template changed under its name: refused where the provider refuses it, told what it means where not', async () => {
    const infrastructure = await only(template(`${open.name}-md`, '9s'))
    expect(infrastructure).toMatchObject({ outcome: 'invalid', line: 1 })
    expect(infrastructure.answer).toContain('field is immutable. Please create a new resource instead.')
    expect(infrastructure.sentence).toContain(`${open.name}-md uses it: give a template under a new name`)
    const live = await at.cluster.admin.get(CONFIGS, `${open.name}-md`, open.namespace)
    const spec = structuredClone(live.spec) as { template: { spec: JsonObject } }
    spec.template.spec.preKubeadmCommands = ['echo hello']
    const { apiVersion, kind } = live
    const changed = { apiVersion, kind, metadata: { name: live.metadata.name, namespace: open.namespace }, spec }
    const { documents, groups, verdict } = await plan(stringify(changed))
    expect(documents[0]).toMatchObject({ outcome: 'changed' })
    expect(groups).toMatchObject([{ groupName: `${open.name}-md`, what: 'unchanged' }])
    expect(groups[0]!.notes[0]).toContain('machines that are there stay as they are')
    expect(verdict).toBe('nothing')
  })

  test('what was left out is taken away, as whoever applied it last would', async () => {
    const name = `${open.name}-md`
    const spec = await deployment()
    const meant = (more: JsonObject) => ({
      ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment' },
      metadata: { name, namespace: open.namespace },
      spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, ...more } } } as JsonObject,
    })
    const last = {
      metadata: {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(meant({ failureDomain: 'a' })),
        },
      },
    }
    await at.cluster.admin.patch(MD, name, open.namespace, 'merge', last)
    await db().group.findFirstOrThrow({ where: { name } })
    try {
      // Kept in the annotation only: what it would take away is not there, so nothing differs.
      expect((await plan(stringify(meant({})))).groups[0]).toMatchObject({ what: 'unchanged' })
      expect((await plan(stringify(meant({ failureDomain: 'b' })))).groups[0]!.changeSet.fields).toEqual([
        { object: 'machine', path: 'failureDomain', desired: 'b' },
      ])
    } finally {
      const gone = { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': null } } }
      await at.cluster.admin.patch(MD, name, open.namespace, 'merge', gone)
    }
  })

  test('secrets do not leave the server, neither in fields nor in refusals', async () => {
    const live = await at.cluster.admin.get(CONFIGS, `${open.name}-md`, open.namespace)
    const spec = structuredClone(live.spec) as { template: { spec: JsonObject } }
    const secret = randomBytes(12).toString('hex')
    spec.template.spec.files = [{ path: '/etc/x', content: secret }]
    const config = {
      ...{ apiVersion: live.apiVersion, kind: live.kind },
      ...{ metadata: { name: 'with-files', namespace: open.namespace }, spec },
    }
    const group = await deployment()
    group.template.spec.bootstrap = {
      configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name: 'with-files' },
    }
    const result = await plan([stringify(config), md(group)].join('---\n'))
    expect(result.groups[0]!.changeSet.fields).toContainEqual(
      expect.objectContaining({
        ...{ object: 'bootstrap', path: 'files["/etc/x"]', secret: true },
        desired: '••••••',
      }),
    )
    const refused = await plan(
      stringify({
        ...config,
        apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
        kind: 'DevMachineTemplate',
        metadata: { name: `${open.name}-md`, namespace: open.namespace },
      }),
    )
    expect(refused.documents[0]!.outcome).toBe('invalid')
    expect(JSON.stringify([result, refused])).not.toContain(secret)
  })

  test('a change that waits already is named, and the machines that are there are what is compared', async () => {
    const name = `${open.name}-md`
    const write = (version: string) =>
      at.cluster.admin.patch(MD, name, open.namespace, 'merge', { spec: { template: { spec: { version } } } })
    await write('v1.34.1')
    const where = { groupName: name, state: 'waiting' }
    await until('the change', async () => (await db().change.count({ where })) === 1, { ms: 15_000 })
    const { id } = await db().change.findFirstOrThrow({ where })
    const input = { clusterId: at.clusterId, groupId: await groupId(name) }
    const instead = await planChange(operator, { ...input, version: '1.34.5' })
    expect(instead.groups[0]).toMatchObject({
      ...{ fromVersion: 'v1.34.0', toVersion: 'v1.34.5' },
      waiting: { id, summary: 'v1.34.0 → v1.34.1' },
    })
    const back = await planChange(operator, { ...input, version: 'v1.34.0' })
    expect(back).toMatchObject({ verdict: 'nothing', groups: [{ what: 'unchanged' }] })
    await write('v1.34.0')
    await until('it to be over', async () => (await db().change.count({ where })) === 0, { ms: 15_000 })
  })
})
