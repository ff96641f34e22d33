import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../../lib/domain/json'
import { startApiServer, type RunningApiServer } from '../../apiserver'
import { openShiftFleet } from '../fleet'
import { formOf, openShiftResources } from '../resources'
import type { PlatformName } from '../platforms'
import { startOpenShiftControllers } from '.'
import { AS, R } from './env'

let server: RunningApiServer | undefined
let controllers: { stop(): Promise<void> } | undefined
afterEach(async () => {
  await controllers?.stop()
  await server?.stop()
})

const entry = (mode: string) => ({
  ...{ resource: 'machinesets', apiGroup: 'machine.openshift.io' },
  selection: { mode },
})

// Its API takes no entry of a control plane before 4.22; where managing is chosen, or not there yet, nothing said is nothing managed.
test.each<[string, PlatformName, JsonObject[] | undefined]>([
  ['4.19.12', 'GCP', [entry('All')]],
  ['4.20.6', 'AWS', [entry('All')]],
  ['4.20.6', 'VSphere', undefined],
  ['4.21.14', 'GCP', [entry('All')]],
  ['4.21.14', 'Azure', [entry('None')]],
])('the operator of %s on %s has its status taken', async (release, platform, managers) => {
  server = await startApiServer({
    ...{ families: ['openshift'], resources: openShiftResources({ form: formOf(release) }) },
    objects: openShiftFleet({ name: 'bay', platform, release, unsaid: true, gates: {} }),
    users: {},
  })
  const managed = (await synced(server))?.managedBootImagesStatus as { machineManagers: JsonObject[] } | undefined
  expect(managed?.machineManagers).toEqual(managers)
})

test.each([
  ['the image that is part of the release', {}, 'None'],
  ['an address of its own', { provisioningOSDownloadURL: 'https://images.example.test/rhcos.qcow2' }, 'Manual'],
])('on bare metal that starts machines from %s the operator goes by that', async (_, spec, mode) => {
  server = await startApiServer({
    ...{ families: ['openshift'], resources: openShiftResources() },
    objects: openShiftFleet({ name: 'bay', platform: 'BareMetal', gates: {} }),
    users: {},
  })
  const provisioning = { apiVersion: 'metal3.io/v1alpha1', kind: 'Provisioning', spec }
  await server.store.create(
    'provisionings.metal3.io',
    { ...provisioning, metadata: { name: 'provisioning-configuration' } },
    AS.operator,
  )
  await server.store.merge(R.configuration, 'cluster', { status: null }, AS.operator, 'status')
  expect((await synced(server))?.bootImageSkewEnforcementStatus).toMatchObject({ mode })
})

/** The operator's status, once it has been through. */
async function synced({ store }: RunningApiServer): Promise<JsonObject | undefined> {
  const errors: unknown[] = []
  controllers = startOpenShiftControllers(store, { speed: 50, life: false, onError: (e) => errors.push(e) })
  const status = () => {
    const { metadata, status } = store.get(R.configuration, 'cluster')!
    return status?.observedGeneration === metadata.generation ? status : undefined
  }
  for (const deadline = Date.now() + 20_000; !status() && errors.length === 0 && Date.now() < deadline;)
    await new Promise((r) => setTimeout(r, 20))
  expect(errors).toEqual([])
  return status()
}
