import { asksForArch, eitherDoes, knowsStreams } from '@/lib/domain/boot-images/by-release'
import { asksEc2 } from '@/lib/domain/boot-images/cloud-only'
import type { Arch } from '@/lib/domain/boot-images/stream'
import { parseStreamMap } from '@/lib/domain/boot-images/stream'
import type { FailureDomain, ImageContext, ImageSet } from '@/lib/domain/boot-images/types'
import type { JsonObject } from '@/lib/domain/json'
import { releaseFacts } from '@/lib/domain/skew/releases'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, count, items, strings, text } from './loose'
import { readClusterVersion } from './readers'

/** A MachineSet or ControlPlaneMachineSet, as far as its boot image goes. */
export function readImageSet(object: KubeObject): ImageSet {
  const plane = object.kind === 'ControlPlaneMachineSet'
  const template = plane
    ? at(object, 'spec', 'template', 'machines_v1beta1_machine_openshift_io')
    : at(object, 'spec', 'template')
  const spec = at(template, 'spec', 'providerSpec', 'value')
  return {
    kind: plane ? 'ControlPlaneMachineSet' : 'MachineSet',
    name: object.metadata.name,
    replicas: count(object, 'spec', 'replicas'),
    labels: object.metadata.labels ?? {},
    templateLabels: plane ? strings(template, 'spec', 'metadata', 'labels') : strings(template, 'metadata', 'labels'),
    annotations: object.metadata.annotations ?? {},
    owners: (object.metadata.ownerReferences ?? []).map(({ kind, name }) => ({ kind, name })),
    providerSpec: spec !== null && typeof spec === 'object' && !Array.isArray(spec) ? (spec as JsonObject) : null,
  }
}

export interface ImageObjects {
  configMap?: KubeObject
  infrastructure?: KubeObject
  clusterVersion?: KubeObject
  controlPlaneArch: Arch | null
  data?: ImageContext['data']
  cloud?: ImageContext['cloud']
}

/** What decides about every set of a cluster. */
export function readImageContext(objects: ImageObjects): ImageContext {
  const { version, history } = readClusterVersion(objects.clusterVersion)
  const platform = objects.infrastructure && (text(objects.infrastructure, 'status', 'platformStatus', 'type') ?? '')
  const either = (is: (release: string | null | undefined) => boolean) =>
    eitherDoes((release) => (is(release) ? 'yes' : 'no'), history, version)
  const early = either((release) => releaseFacts(release)?.says === false)
  return {
    platform,
    infrastructureName: text(objects.infrastructure, 'status', 'infrastructureName') ?? '',
    multiArch: text(objects.clusterVersion, 'status', 'desired', 'architecture') === 'Multi',
    controlPlaneArch: objects.controlPlaneArch,
    stream: parseStreamMap(objects.configMap ? (objects.configMap.data ?? {}) : undefined),
    failureDomains: failureDomains(objects.infrastructure),
    vcenters: items(at(objects.infrastructure, 'spec', 'platformSpec', 'vsphere'), 'vcenters').map(
      (v) => text(v, 'server') ?? '',
    ),
    ...(objects.data && { data: objects.data }),
    // Whoever has EC2 to ask is an operator that asks it.
    ...(objects.cloud
      ? { cloud: objects.cloud }
      : platform === 'AWS' && either((release) => !asksEc2(release ?? null)) === 'yes' && { listed: true }),
    ...(early !== 'no' && ['AWS', 'GCP'].includes(platform ?? '') && { early }),
    asksForArch: eitherDoes(asksForArch, history, version),
    knowsStreams: eitherDoes(knowsStreams, history, version),
    ...(either((release) => releaseFacts(release)?.limit === 'enforced') === 'yes' && { limited: true }),
  }
}

function failureDomains(infrastructure: KubeObject | undefined): FailureDomain[] | null {
  const vsphere = at(infrastructure, 'spec', 'platformSpec', 'vsphere')
  if (vsphere === undefined || vsphere === null) return null
  return items(vsphere, 'failureDomains').map((d) => {
    return {
      name: text(d, 'name') ?? '',
      server: text(d, 'server') ?? '',
      datacenter: text(d, 'topology', 'datacenter') ?? '',
      datastore: text(d, 'topology', 'datastore') ?? '',
      resourcePool: text(d, 'topology', 'resourcePool') ?? '',
      vmGroup: text(d, 'zoneAffinity', 'hostGroup', 'vmGroup') ?? '',
    }
  })
}
