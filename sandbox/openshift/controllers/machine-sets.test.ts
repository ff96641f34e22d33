import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../../lib/domain/json'
import { readImageSet } from '../../../lib/providers/openshift/image-sets'
import { startApiServer, type RunningApiServer } from '../../apiserver'
import type { SandboxObject } from '../../types'
import { openShiftFleet } from '../fleet'
import { openShiftResources } from '../resources'
import { startOpenShiftControllers } from '.'
import { kube, R } from './env'

let server: RunningApiServer | undefined
let controllers: { stop(): Promise<void> } | undefined
afterEach(async () => {
  await controllers?.stop()
  await server?.stop()
})

const SOMEBODY = { user: 'admin', groups: ['system:masters'], fieldManager: 'oc' }
const SET = 'machine.openshift.io/cluster-api-machineset'
const keyOf = ({ metadata }: SandboxObject): string => `${metadata.namespace}/${metadata.name}`

test('a machine set makes another machine in place of one that was deleted; from an image that does not join it does not join', async () => {
  server = await startApiServer({
    ...{ families: ['openshift'], resources: openShiftResources(), users: {} },
    objects: openShiftFleet({ name: 'bay', platform: 'GCP' }),
  })
  const { store } = server
  const errors: unknown[] = []
  const options = { speed: 200, life: false, machines: true, onError: (e: unknown) => void errors.push(e) }
  controllers = startOpenShiftControllers(store, options)
  const machines = (set: string) => store.list(R.machines, { labels: { [SET]: set } })
  const joined = ({ status }: SandboxObject) => status?.nodeRef !== undefined
  const until = async (what: () => boolean) => {
    for (const deadline = Date.now() + 20_000; !what() && Date.now() < deadline;)
      await new Promise((r) => setTimeout(r, 20))
    expect(errors).toEqual([])
    expect(what()).toBe(true)
  }
  const stuck = store.list(R.machines).find((machine) => !joined(machine))!
  const name = stuck.metadata.labels![SET]!
  const set = store.list(R.machineSets).find((one) => one.metadata.name === name)!
  const replicas = set.spec!.replicas as number
  const specs = () => machines(name).map(({ spec }) => spec!.providerSpec)

  await store.delete(R.machines, keyOf(stuck), SOMEBODY)
  await until(() => machines(name).length === replicas)
  const next = machines(name).find((machine) => !joined(machine))!
  expect(next.metadata.name).not.toBe(stuck.metadata.name)
  expect(next.status).toMatchObject({ phase: 'Provisioned' })
  const ready = () => store.get(R.machineSets, keyOf(set))!.status
  await until(() => ready()?.replicas === replicas && ready()?.readyReplicas === replicas - 1)

  // Its set gets another image, which is the way out.
  const { providerSpec } = readImageSet(kube(set))
  const disks = (providerSpec!.disks as JsonObject[]).map((disk) => ({
    ...disk,
    image: 'projects/p/global/images/new',
  }))
  const value = { ...providerSpec, disks }
  await store.merge(R.machineSets, keyOf(set), { spec: { template: { spec: { providerSpec: { value } } } } }, SOMEBODY)
  await store.delete(R.machines, keyOf(next), SOMEBODY)
  await until(() => machines(name).length === replicas && machines(name).every(joined))
  expect(specs()).toContainEqual({ value })
  await until(() => ready()?.readyReplicas === replicas)
  const made = machines(name).find(({ spec }) => JSON.stringify(spec!.providerSpec) === JSON.stringify({ value }))!
  const node = (made.status!.nodeRef as { name: string }).name
  expect(store.get(R.nodes, node)?.metadata.annotations).toMatchObject({
    'machine.openshift.io/machine': keyOf(made),
    'machineconfiguration.openshift.io/state': 'Done',
  })

  // With a machine its node goes; and of more replicas one more is made.
  await store.delete(R.machines, keyOf(made), SOMEBODY)
  await until(() => store.get(R.nodes, node) === undefined)
  await until(() => machines(name).length === replicas)
  await store.merge(R.machineSets, keyOf(set), { spec: { replicas: replicas + 1 } }, SOMEBODY)
  await until(() => machines(name).length === replicas + 1)
})

test('where the image is that of the release, what kept the machine before from joining is gone', async () => {
  server = await startApiServer({
    ...{ families: ['openshift'], resources: openShiftResources(), users: {} },
    objects: openShiftFleet({ name: 'bay', platform: 'Azure' }),
  })
  const { store } = server
  controllers = startOpenShiftControllers(store, { speed: 200, life: false, machines: true })
  const all = store.list(R.machines).length
  const stuck = () => store.list(R.machines).filter(({ status }) => status?.nodeRef === undefined)
  await store.delete(R.machines, keyOf(stuck()[0]!), SOMEBODY)
  const joined = () => store.list(R.machines).length === all && stuck().length === 0
  for (const deadline = Date.now() + 20_000; !joined() && Date.now() < deadline;)
    await new Promise((r) => setTimeout(r, 20))
  expect(joined()).toBe(true)
})
