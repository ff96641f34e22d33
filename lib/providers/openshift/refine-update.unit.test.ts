import { expect, it } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { skewRows } from './skew-rows'
import { CONFIG_MAP, objects, SCENARIOS, SETS } from './testing/samples'

/** During an update no pass runs, and the images of the release to come are there already: what the operator counted is of before. */
const counts = (n: number) => ({
  conditions: [
    {
      type: 'BootImageUpdateProgressing',
      status: 'False',
      message: `Reconciled ${n} of ${n} MAPI MachineSets | Reconciled 0 of 0 ControlPlaneMachineSets | Reconciled 0 of 0 CAPI MachineSets | Reconciled 0 of 0 CAPI MachineDeployments`,
    },
    {
      type: 'BootImageUpdateDegraded',
      status: 'False',
      message:
        '0 Degraded MAPI MachineSets | 0 Degraded ControlPlaneMachineSets | 0 Degraded CAPI MachineSets | 0 Degraded CAPI MachineDeployments',
    },
  ],
})

const under = { state: 'Partial', version: '5.0.1', startedTime: '2026-11-01T00:00:00Z', completionTime: null }
const before = { state: 'Completed', version: '4.23.3', completionTime: '2026-10-01T00:00:00Z' }

it.each([
  ['automatic', '5.0.1', [under, before], /cannot tell which/],
  ['manual-in-range', '5.0.1', [under, before], /Only vCenter/],
  ['manual-in-range', '5.0.1', [before], /Only vCenter/],
  ['manual-in-range', '4.23.3', [before], /left it as it is/],
  ['automatic', '4.23.3', [before], /left it as it is/],
] as const)('%s: images of %s, %j', (scenario, releaseVersion, history, says) => {
  const name = scenario === 'automatic' ? 'aws.current' : 'vsphere.managed-name'
  const machineConfiguration = structuredClone(SCENARIOS[scenario]!.machineConfiguration)
  machineConfiguration.status = {
    ...machineConfiguration.status,
    ...counts(1),
    managedBootImagesStatus: {
      machineManagers: [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } }],
    },
  } as JsonObject
  const clusterVersion = structuredClone(SCENARIOS[scenario]!.clusterVersion)
  clusterVersion.status = {
    ...(clusterVersion.status as JsonObject),
    desired: { version: releaseVersion },
    history,
  } as unknown as JsonObject
  // The map of the release to come: another image in every region.
  const configMap = structuredClone(CONFIG_MAP)
  const data = configMap.data as Record<string, string>
  data.releaseVersion = releaseVersion
  data.stream = data
    .stream!.replaceAll('"image":"ami-', '"image":"ami-new')
    .replaceAll('"image": "ami-', '"image": "ami-new')
  const rows = skewRows(objects(scenario, [SETS[name]!], { machineConfiguration, clusterVersion, configMap }), true)
  expect(rows.sets[0]!.reason).toMatch(says)
})
