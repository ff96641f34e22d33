import { expect, test } from 'vitest'
import type { KubeClient, KubeObject } from '../types'
import { discoverGates } from './gates'

type Status = Record<string, number>
const RUNS: Status = { observedGeneration: 3, replicas: 1, updatedReplicas: 1 }
const manager = (args: string[], status?: Status): KubeObject =>
  ({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'm', generation: 3 }, status },
    spec: { template: { spec: { containers: [{ name: 'manager', args }] } } },
  }) as unknown as KubeObject

const stateOf = async (core: KubeObject, controlPlane = manager(['--feature-gates=InPlaceUpdates=true'], RUNS)) => {
  const get = (_: unknown, name: string) => Promise.resolve(name.includes('kubeadm') ? controlPlane : core)
  return (await discoverGates({ get } as unknown as KubeClient, { resources: {} })).gates.inPlaceUpdates.state
}
const ON = ['--feature-gates=RuntimeSDK=true,InPlaceUpdates=true']

test.each<[string, string[], Status | undefined, string]>([
  ['as it should be', ON, RUNS, 'on'],
  ['made anew, its controller has not come to it', ON, undefined, 'unknown'],
  ['made anew, without a Pod yet', ON, { observedGeneration: 3 }, 'unknown'],
  ['not yet seen by its controller', ON, { observedGeneration: 2, replicas: 1, updatedReplicas: 1 }, 'unknown'],
  ['half rolled out', ON, { observedGeneration: 3, replicas: 2, updatedReplicas: 1 }, 'unknown'],
  ['in two arguments', ['--feature-gates=RuntimeSDK=true', '--feature-gates=InPlaceUpdates=true'], RUNS, 'on'],
  ['the last one counts', [...ON, '--feature-gates=InPlaceUpdates=false'], RUNS, 'off'],
  ['without', ['--v=2'], RUNS, 'off'],
  ['as all alpha features', ['--feature-gates=AllAlpha=true'], RUNS, 'on'],
  ['against all alpha features', ['--feature-gates=AllAlpha=true,InPlaceUpdates=false'], RUNS, 'off'],
  ['as Go reads it', ['--feature-gates=RuntimeSDK=1,InPlaceUpdates=T'], RUNS, 'on'],
  ['on their way to be without', ['--v=2'], { observedGeneration: 2, replicas: 1, updatedReplicas: 1 }, 'off'],
])('in-place updates, %s', async (_, args, status, state) => {
  expect(await stateOf(manager(args, status))).toBe(state)
})

test('both managers must have them', async () => {
  expect(await stateOf(manager(ON, RUNS), manager([], RUNS))).toBe('off')
})

test('what is off is being rolled out until its controller has been through', async () => {
  const rolling = async (status?: Status) => {
    const get = () => Promise.resolve(manager(['--v=2'], status))
    const { ofKind } = (await discoverGates({ get } as unknown as KubeClient, { resources: {} })).gates
    return ofKind.MachineDeployment[0]!.rolling ?? false
  }
  expect(await Promise.all([rolling(), rolling({ observedGeneration: 3 }), rolling(RUNS)])).toEqual([true, true, false])
})
