import { expect, test } from 'vitest'
import type { Capabilities } from '@/lib/domain/capabilities'
import { planStreams } from './streams'

const plan = (openshift: boolean, resources: Record<string, string>) =>
  planStreams({ openshift: openshift ? {} : null, clusterApi: null, resources } as unknown as Capabilities)

test('a resource that may only be read in parts has a stream for each, bound to namespace and name', () => {
  const streams = plan(true, { configmaps: 'v1' })
  expect(streams.map(({ stream, name, namespace, fieldSelector }) => [stream, name, namespace, fieldSelector])).toEqual(
    [
      ...[['coreos-bootimages', 'openshift-machine-config-operator']],
      ...[['admin-gates', 'openshift-config-managed']],
      ...[['admin-acks', 'openshift-config']],
    ].map(([object, namespace]) => [`configmaps/${object}`, 'configmaps', namespace, `metadata.name=${object}`]),
  )
})

test('what OpenShift adds is watched in the version that is served, and nowhere else', () => {
  const served = {
    'machineconfignodes.machineconfiguration.openshift.io': 'v1alpha1',
    'provisionings.metal3.io': 'v1alpha1',
  }
  expect(plan(true, served).map(({ stream, keep, resource }) => [stream, keep, resource.version])).toEqual([
    ['machineconfignodes.machineconfiguration.openshift.io', true, 'v1alpha1'],
    ['provisionings.metal3.io', true, 'v1alpha1'],
  ])
  expect(plan(false, { ...served, configmaps: 'v1' })).toEqual([])
})
