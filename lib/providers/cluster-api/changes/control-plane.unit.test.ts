import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changeOf, type ObjectSource } from '.'

const meta = (name: string, annotations: Record<string, string> = {}) => ({
  ...{ name, namespace: 'n', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', annotations },
})
const object = (kind: string, name: string, spec: JsonObject, annotations?: Record<string, string>) =>
  ({ apiVersion: 'x/v1beta2', kind, metadata: meta(name, annotations), spec }) as unknown as KubeObject
const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io'
const CLONED = {
  'cluster.x-k8s.io/cloned-from-name': 't',
  'cluster.x-k8s.io/cloned-from-groupkind': `AMachineTemplate.${INFRASTRUCTURE}`,
}

const GROUP = object('KubeadmControlPlane', 'cp', {
  ...{ replicas: 1, version: 'v1.36.1', kubeadmConfigSpec: {} },
  machineTemplate: { spec: { infrastructureRef: { apiGroup: INFRASTRUCTURE, kind: 'AMachineTemplate', name: 't' } } },
})
const TEMPLATE = object('AMachineTemplate', 't', { template: { spec: {} } })
const infrastructure = (annotations?: Record<string, string>) => object('AMachine', 'i', {}, annotations)
const CONFIG = object('KubeadmConfig', 'k', { joinConfiguration: { controlPlane: {} } })

/** The one machine of a control plane that is to have another version. */
async function compared(there: KubeObject[], configRef = true, group = GROUP) {
  const machine = object('Machine', 'm', {
    ...{ version: 'v1.36.0', infrastructureRef: { apiGroup: INFRASTRUCTURE, kind: 'AMachine', name: 'i' } },
    bootstrap: configRef ? { configRef: { kind: 'KubeadmConfig', name: 'k' } } : { dataSecretName: 's' },
  })
  const find: ObjectSource['live'] = ({ name }) =>
    Promise.resolve(there.find(({ metadata }) => metadata.name === name) ?? null)
  const source: ObjectSource = {
    ...{ machineSets: () => Promise.resolve([]), machines: () => Promise.resolve([machine]) },
    ...{ template: find, live: find, letGo: () => Promise.resolve(null), forget: () => undefined },
  }
  return (await changeOf(group, source)).pairs[0]!
}

test('a machine that has all that is compared is asked about', async () => {
  const { pair, question } = await compared([TEMPLATE, infrastructure(CLONED), CONFIG])
  expect(pair.certainReplace).toBeUndefined()
  expect(question).toMatchObject({ hook: 'CanUpdateMachine' })
})

test('its template is a part of what it is to be, also where none of it differs', async () => {
  const edited = object('AMachineTemplate', 't', { template: { spec: { size: 'other' } } })
  const [shown, now] = await Promise.all(
    [TEMPLATE, edited].map((template) => compared([template, infrastructure(CLONED), CONFIG])),
  )
  expect(now!.pair.fingerprint).toBe(shown!.pair.fingerprint)
  expect([shown!.templates, now!.templates]).toEqual([{ infrastructure: {} }, { infrastructure: { size: 'other' } }])
})

test.each<[string, KubeObject[], boolean, string]>([
  ['its infrastructure machine is gone', [TEMPLATE, CONFIG], true, 'infrastructure machine does not exist'],
  ['adopted, not made from a template', [TEMPLATE, infrastructure(), CONFIG], true, 'which template it was made from'],
  ['its config is gone', [TEMPLATE, infrastructure(CLONED)], true, 'no bootstrap config any more'],
  ['it never had a config', [TEMPLATE, infrastructure(CLONED)], false, 'no bootstrap config any more'],
])('replaced without a question: %s', async (_, there, configRef, words) => {
  const { pair, question } = await compared(there, configRef)
  expect(pair.certainReplace).toContain(words)
  expect(question).toBeNull()
})

test('the first machine, whose config differs in form only, waits for a date ahead as the others do', async () => {
  const init = object('KubeadmConfig', 'k', {
    initConfiguration: { nodeRegistration: { name: 'first' } },
    clusterConfiguration: {},
  })
  const after = new Date(Date.now() + 86_400_000).toISOString()
  const spec = { ...GROUP.spec, version: 'v1.36.0', rollout: { after } }
  const dated = { ...GROUP, spec: { ...spec, kubeadmConfigSpec: init.spec! } } as KubeObject
  dated.metadata = { ...GROUP.metadata, annotations: { [HELD]: 'v1', [PAUSED]: 'drydock' } }
  const { pair } = await compared([TEMPLATE, infrastructure(CLONED), init], true, dated)
  expect(pair).toMatchObject({ later: true })
  expect(pair.changes.map(({ path }) => path)).toEqual(['rollout.after'])
})

test.each<[string, [string, string][], RegExp | null]>([
  ['all is well', [], null],
  ['its API server was not seen', [['APIServerPodHealthy', 'Unknown']], /\(APIServerPodHealthy was Unknown\)/],
  ['its etcd member is not there', [['EtcdMemberHealthy', 'False']], /\(EtcdMemberHealthy was False\)/],
  ['its node is not ready', [['NodeReady', 'False']], /its node is not ready/],
])('held, with a machine to be updated of which %s', async (_, others, words) => {
  const types = ['NodeReady', 'APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy']
  const states = new Map([...types, 'EtcdPodHealthy', 'EtcdMemberHealthy'].map((type) => [type, 'True']))
  for (const [type, status] of others) states.set(type, status)
  const conditions = [...states].map(([type, status]) => ({ type, status, reason: 'r', message: '' }))
  const machine = object('Machine', 'm', {
    ...{ version: 'v1.36.0', infrastructureRef: { apiGroup: INFRASTRUCTURE, kind: 'AMachine', name: 'i' } },
    bootstrap: { configRef: { kind: 'KubeadmConfig', name: 'k' } },
  })
  const there = [TEMPLATE, infrastructure(CLONED), CONFIG]
  const find: ObjectSource['live'] = ({ name }) =>
    Promise.resolve(there.find(({ metadata }) => metadata.name === name) ?? null)
  const source: ObjectSource = {
    ...{ machineSets: () => Promise.resolve([]), template: find, live: find, forget: () => undefined },
    machines: () => Promise.resolve([{ ...machine, status: { conditions } }]),
    letGo: () => Promise.resolve(null),
  }
  const held = { ...GROUP, metadata: { ...GROUP.metadata, annotations: { [HELD]: 'v1', [PAUSED]: 'drydock' } } }
  const { ill } = await changeOf(held, source)
  if (words) expect(ill).toMatch(words)
  else expect(ill).toBeUndefined()
  // Under way, it is in the hands of its manager.
  expect((await changeOf(GROUP, source)).ill).toBeUndefined()
})
