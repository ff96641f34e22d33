import { randomUUID } from 'node:crypto'
import type { SandboxObject } from '../types'
import { nameOf, type Resource } from './resources'
import { now } from './storage/metadata'
import type { Objectbase } from './storage/objects'

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io'

/** The definition that a client finds for a resource that is not built in. Replaces the one before. */
export function publishDefinition(base: Objectbase, resource: Resource) {
  const name = nameOf(resource)
  const old = base.of(CRDS).get(name)
  const schema = { openAPIV3Schema: { type: 'object', ...resource.schema } }
  const names = {
    kind: resource.kind,
    listKind: `${resource.kind}List`,
    plural: resource.plural,
    singular: resource.kind.toLowerCase(),
    shortNames: resource.shortNames ?? [],
  }
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name,
      uid: old?.metadata.uid ?? randomUUID(),
      resourceVersion: String(++base.version),
      generation: (old?.metadata.generation ?? 0) + 1,
      creationTimestamp: old?.metadata.creationTimestamp ?? now(),
      ...(resource.crdLabels ? { labels: resource.crdLabels } : {}),
    },
    spec: {
      group: resource.group,
      names,
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      versions: resource.versions.map((version, i) => ({
        name: version,
        served: true,
        storage: i === 0,
        schema,
        ...(resource.status ? { subresources: { status: {} } } : {}),
      })),
    },
    status: {
      acceptedNames: names,
      storedVersions: [resource.versions[0]!],
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
          lastTransitionTime: now(),
        },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
          lastTransitionTime: now(),
        },
      ],
    },
  } as unknown as SandboxObject
  base.commit({ type: old ? 'MODIFIED' : 'ADDED', resource: CRDS, key: name, object, old })
}
