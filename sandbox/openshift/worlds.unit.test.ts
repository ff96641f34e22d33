import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { openshiftRows } from '@/lib/providers/openshift/rows'
import { skewRows } from '@/lib/providers/openshift/skew-rows'
import { openShiftFleet } from './fleet'
import { PLATFORM_NAMES, type PlatformName } from './platforms'
import { formOf, openShiftResources } from './resources'

const NOW = Date.UTC(2026, 10, 21)

function cluster(platform: PlatformName) {
  const seeds = openShiftFleet({ name: 'gulf', platform, now: NOW })
  const of = (resource: string) =>
    seeds
      .filter((seed) => seed.resource.startsWith(`${resource}.`) || seed.resource === resource)
      .map(({ object }) => object as unknown as KubeObject)
  const one = (resource: string, name?: string) => of(resource).find(({ metadata }) => !name || metadata.name === name)
  const rows = skewRows(
    {
      ...{ machineConfiguration: one('machineconfigurations'), machineSets: of('machinesets') },
      ...{ controlPlanes: of('controlplanemachinesets'), configMap: one('configmaps', 'coreos-bootimages') },
      ...{ clusterVersion: one('clusterversions'), infrastructure: one('infrastructures') },
      operator: one('clusteroperators', 'machine-config'),
    },
    true,
  )
  const machines = of('machines').map((object) => openshiftRows.machine('gulf', object, undefined, NOW).machine!)
  return { rows, machines }
}

test.each<[PlatformName, string[], number]>([
  // That the images of two sets are old, EC2 alone could tell.
  ['AWS', ['unknown', 'unknown', 'current', 'custom'], 1],
  ['GCP', ['current', 'outdated'], 1],
  ['Azure', ['current', 'outdated'], 1],
  ['VSphere', ['unknown'], 0],
  ['BareMetal', ['unknown'], 0],
])('on %s its sets and machines are what they say', (platform, states, stuck) => {
  const { rows, machines } = cluster(platform)
  expect(rows.platform).toBe(platform)
  expect(rows.sets.filter(({ kind }) => kind === 'MachineSet').map(({ state }) => state)).toEqual(states)
  const waiting = machines.filter(({ provisionedSince }) => provisionedSince)
  expect(waiting).toHaveLength(stuck)
  for (const { joining, state } of waiting) {
    expect(state).toBe('failed')
    expect(joining).toMatchObject({ instance: expect.stringMatching(/running/i), userData: expect.any(String) })
  }
})

test.each(PLATFORM_NAMES)(
  'on %s no machine is older than its image, nor a node or what is said of either older than it',
  (platform) => {
    const seeds = openShiftFleet({ name: 'gulf', platform, now: NOW }).map(
      ({ object }) => object as unknown as KubeObject,
    )
    const of = (kind: string) => seeds.filter((object) => object.kind === kind)
    const at = (text: unknown) => Date.parse(String(text))
    const made = (object: KubeObject) => at(object.metadata.creationTimestamp)
    const completed = at(
      (of('ClusterVersion')[0]!.status as { history: { completionTime: string }[] }).history[0]!.completionTime,
    )
    const { rows } = cluster(platform)
    for (const machine of of('Machine')) {
      const name = machine.metadata.labels?.['machine.openshift.io/cluster-api-machineset'] ?? 'cluster'
      const set = [...of('MachineSet'), ...of('ControlPlaneMachineSet')].find((one) => one.metadata.name === name)!
      const written = set.metadata.managedFields?.[0]?.time
      if (written) expect([machine.metadata.name, made(machine) >= at(written)]).toEqual([machine.metadata.name, true])
      if (rows.sets.find((row) => row.name === name)!.state === 'current')
        expect([machine.metadata.name, made(machine) > completed]).toEqual([machine.metadata.name, true])
      const { conditions, nodeRef } = machine.status as {
        conditions: { lastTransitionTime: string }[]
        nodeRef?: { name: string }
      }
      for (const { lastTransitionTime } of conditions)
        expect(at(lastTransitionTime)).toBeGreaterThanOrEqual(made(machine))
      if (!nodeRef) continue
      const node = of('Node').find((one) => one.metadata.name === nodeRef.name)!
      const after = made(node) - made(machine)
      expect(after >= 0 && after < 3_600_000).toBe(true)
      const ready = (node.status as { conditions: { lastTransitionTime: string }[] }).conditions[0]!
      expect(at(ready.lastTransitionTime)).toBeGreaterThanOrEqual(made(node))
    }
  },
)

test('on GCP the machine that does not join has an image below the floor in its name, and a stub of Ignition 2', () => {
  const { machines } = cluster('GCP')
  const [stuck] = machines.filter(({ provisionedSince }) => provisionedSince)
  expect(stuck).toMatchObject({
    bootImageVersion: 'RHCOS 412.86.202303211731-0',
    joining: { userData: 'legacy-user-data' },
  })
})

test('on Azure it has the image of the release', () => {
  const { rows, machines } = cluster('Azure')
  const [stuck] = machines.filter(({ provisionedSince }) => provisionedSince)
  expect(rows.sets.map(({ wanted }) => wanted)).toContain(stuck!.bootImage)
})

test('names of objects do not meet between platforms’ clusters of other names', () => {
  const uids = PLATFORM_NAMES.flatMap((platform) =>
    openShiftFleet({ name: platform.toLowerCase(), platform, now: NOW }),
  )
  expect(new Set(uids.map(({ object }) => object.metadata.uid)).size).toBe(uids.length)
})

test.each([
  ['4.18.20', false],
  ['4.19.12', true],
])('steps of nodes are reported from 4.19 on: in %s %s', (release, steps) => {
  const served = openShiftResources({ form: formOf(release) }).some(({ plural }) => plural === 'machineconfignodes')
  const there = openShiftFleet({ name: 'slate', platform: 'GCP', release, now: NOW }).some(({ resource }) =>
    resource.startsWith('machineconfignodes.'),
  )
  expect([served, there]).toEqual([steps, steps])
})
