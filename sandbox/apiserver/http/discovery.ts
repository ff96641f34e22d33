import type { JsonObject } from '../../../lib/domain/json'
import type { Registry, Resource } from '../resources'

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

export interface ReviewKind {
  group: string
  version: string
  plural: string
  kind: string
}

/** Reviews: they are created, never stored. */
export const REVIEWS: ReviewKind[] = [
  { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview' },
  { group: 'authentication.k8s.io', version: 'v1', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview' },
]

const AGGREGATED = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** As the real one says it: clients of client-go read the document by this, and find nothing where it is missing. */
export const contentType = (document: JsonObject): string =>
  document.kind === 'APIGroupDiscoveryList' ? `application/json;${AGGREGATED}` : 'application/json'

export class Discovery {
  constructor(
    private readonly registry: Registry,
    private readonly version: string,
  ) {}

  /** The document at a path, or nothing. */
  document(path: string, accept: string): JsonObject | undefined {
    const parts = path.split('/').filter(Boolean)
    const aggregated = accept.includes(AGGREGATED)
    if (path === '/version') return this.info()
    if (parts[0] === 'openapi') return this.openapi(parts.slice(1))
    if (parts[0] === 'api') {
      if (parts.length === 1) return aggregated ? this.aggregated(true) : apiVersions()
      return parts.length === 2 && parts[1] === 'v1' ? this.resources('', 'v1') : undefined
    }
    if (parts[0] !== 'apis') return undefined
    if (parts.length === 1) {
      if (aggregated) return this.aggregated(false)
      const groups = [...this.groups()].map(([name, versions]) => group(name, versions))
      return { kind: 'APIGroupList', apiVersion: 'v1', groups }
    }
    const versions = this.groups().get(parts[1]!)
    if (!versions) return undefined
    if (parts.length === 2) return { kind: 'APIGroup', apiVersion: 'v1', ...group(parts[1]!, versions) }
    return parts.length === 3 && versions.includes(parts[2]!) ? this.resources(parts[1]!, parts[2]!) : undefined
  }

  private groups(): Map<string, string[]> {
    const groups = this.registry.groups()
    groups.delete('')
    for (const { group: name, version } of REVIEWS) if (!groups.has(name)) groups.set(name, [version])
    return groups
  }

  private info(): JsonObject {
    const [, major = '1', minor = '34'] = /^v(\d+)\.(\d+)/.exec(this.version) ?? []
    return {
      major,
      minor,
      gitVersion: this.version,
      gitCommit: '',
      gitTreeState: 'clean',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: 'go1.24',
      compiler: 'gc',
      platform: 'linux/amd64',
    }
  }

  private of = (name: string, version: string) =>
    this.registry.all().filter((resource) => resource.group === name && resource.versions.includes(version))

  private reviews = (name: string, version: string) =>
    REVIEWS.filter((review) => review.group === name && review.version === version)

  private resources(name: string, version: string): JsonObject {
    const entry = (r: Resource): JsonObject[] => [
      {
        name: r.plural,
        singularName: r.kind.toLowerCase(),
        namespaced: r.namespaced,
        kind: r.kind,
        verbs: VERBS,
        ...(r.shortNames ? { shortNames: r.shortNames } : {}),
      },
      ...(r.status
        ? [
            {
              name: `${r.plural}/status`,
              singularName: '',
              namespaced: r.namespaced,
              kind: r.kind,
              verbs: ['get', 'patch', 'update'],
            },
          ]
        : []),
      ...(r.scale
        ? [
            {
              name: `${r.plural}/scale`,
              singularName: '',
              namespaced: r.namespaced,
              group: 'autoscaling',
              version: 'v1',
              kind: 'Scale',
              verbs: ['get', 'patch', 'update'],
            },
          ]
        : []),
    ]
    const reviews = this.reviews(name, version).map(({ plural, kind }) => ({
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced: false,
      kind,
      verbs: ['create'],
    }))
    return {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: name ? `${name}/${version}` : version,
      resources: [...this.of(name, version).flatMap(entry), ...reviews],
    }
  }

  private aggregated(core: boolean): JsonObject {
    const groups: [string, string[]][] = core ? [['', ['v1']]] : [...this.groups()]
    const items = groups.map(([name, versions]) => ({
      metadata: { name, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        freshness: 'Current',
        resources: [
          ...this.of(name, version).map((r) => ({
            resource: r.plural,
            responseKind: { group: name, version, kind: r.kind },
            scope: r.namespaced ? 'Namespaced' : 'Cluster',
            singularResource: r.kind.toLowerCase(),
            verbs: VERBS,
            ...(r.shortNames ? { shortNames: r.shortNames } : {}),
            ...subresources(r, { group: name, version, kind: r.kind }),
          })),
          ...this.reviews(name, version).map(({ plural, kind }) => ({
            resource: plural,
            responseKind: { group: name, version, kind },
            scope: 'Cluster',
            singularResource: kind.toLowerCase(),
            verbs: ['create'],
          })),
        ],
      })),
    }))
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
  }

  private openapi(parts: string[]): JsonObject | undefined {
    if (parts[0] !== 'v3') return undefined
    const paths = [
      ['', 'v1'] as const,
      ...[...this.groups()].flatMap(([name, versions]) => versions.map((v) => [name, v] as const)),
    ]
    const pathOf = (name: string, version: string) => (name ? `apis/${name}/${version}` : `api/${version}`)
    if (parts.length === 1)
      return {
        paths: Object.fromEntries(
          paths.map(([name, version]) => [
            pathOf(name, version),
            { serverRelativeURL: `/openapi/v3/${pathOf(name, version)}` },
          ]),
        ),
      }
    const wanted = parts.slice(1).join('/')
    const found = paths.find(([name, version]) => pathOf(name, version) === wanted)
    if (!found) return undefined
    const [name, version] = found
    const schemas = this.of(name, version).map((r) => [
      `${(name || 'core').split('.').reverse().join('.')}.${version}.${r.kind}`,
      {
        type: 'object',
        ...r.schema,
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: { type: 'object' },
          ...r.schema?.properties,
        },
        'x-kubernetes-group-version-kind': [{ group: name, kind: r.kind, version }],
      },
    ])
    const info = { title: 'Kubernetes', version: this.version }
    return { openapi: '3.0.0', info, paths: {}, components: { schemas: Object.fromEntries(schemas) as JsonObject } }
  }
}

function subresources(r: Resource, own: JsonObject): JsonObject {
  const verbs = ['get', 'patch', 'update']
  const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
  const all = [
    ...(r.status ? [{ subresource: 'status', responseKind: own, verbs }] : []),
    ...(r.scale ? [{ subresource: 'scale', responseKind: scale, verbs }] : []),
  ]
  return all.length ? { subresources: all } : {}
}

const apiVersions = (): JsonObject => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }],
})

function group(name: string, versions: string[]): JsonObject {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: all, preferredVersion: all[0]! }
}
