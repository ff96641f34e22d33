/**
 * A simulated management cluster's API server: HTTPS, with the semantics of the real one.
 *
 *   const server = await startApiServer({ version: 'v1.34.2', families: ['cluster-api'], mutatingPolicies: 'v1',
 *     users: { drydock: rulesFromManifests(rbacManifest(['cluster-api', 'latch', 'gate'])) } })
 *   server.users.drydock.kubeconfig   // for Drydock; server.users.admin.kubeconfig is in system:masters
 *   server.store                      // for controllers; every write passes the same admission and validation
 *
 * Another schema or further rules for a resource (also on a running server, as when a CRD is replaced):
 *
 *   server.register({ ...server.resource('machineconfigurations.operator.openshift.io'),
 *     schema: { type: 'object', required: ['spec'], properties: { spec: …, status: … } },
 *     rules: (object, old) => [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'Invalid value: …' }] })
 *
 * `schema` is a structural schema of everything but apiVersion, kind and metadata: it prunes, defaults, validates, and is
 * what /openapi/v3 and the CustomResourceDefinition show. `rules` run when no schema error hides them (field '<nil>' for
 * the root). `webhook` is refused with "admission webhook … denied the request", `mutate` fills defaults.
 * `validators` of the options are `rules` by resource name.
 */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Faults, SandboxObject, Store } from '../types'
import { createAdmission } from './admission'
import { publishDefinition } from './crds'
import { createFaults } from './faults'
import { Discovery } from './http/discovery'
import { Lists } from './http/list'
import { createHandler } from './http/server'
import { Watches } from './http/watch'
import { Authorizer } from './rbac'
import { nameOf, Registry, type Resource, type Validator } from './resources'
import { admissionKinds, admissionKindsBefore130, clusterApiKinds, coreKinds, openShiftKinds } from './schemas/catalog'
import { Objectbase } from './storage/objects'
import { createStore, Writes } from './storage/store'
import { makeCertificate, type ServerCertificate } from './tls'
import { Users, type Rule, type RunningUser } from './users'

export { nameOf } from './resources'
export { rulesFromManifests, type Rule } from './users'

export interface ApiServerOptions {
  /** 0: chosen by the operating system. */
  port?: number
  /** As /version tells: "v1.34.2". */
  version?: string
  /** Which families of kinds are served besides Kubernetes' own. Default both. */
  families?: ('cluster-api' | 'openshift')[]
  /** Further kinds, or others in place of those of the catalogue. */
  resources?: Resource[]
  validators?: Record<string, Validator>
  /** In which version MutatingAdmissionPolicies are served; null for a server too old. Default v1. */
  mutatingPolicies?: 'v1' | 'v1beta1' | null
  /** Users besides `admin`, with their rights. */
  users?: Record<string, Rule[]>
  namespaces?: string[]
  /** Name of the cluster in the kubeconfigs. */
  name?: string
  /** Events that a watch may resume from, per resource. */
  window?: number
  bookmarkMs?: number
  /** Objects that are there from the first moment, with status and versions, as a snapshot or a seed holds them. */
  objects?: Iterable<{ resource: string; object: SandboxObject }>
  /** Of an earlier start, so that clients find the same server again. */
  certificate?: ServerCertificate
  tokens?: Record<string, string>
}

export interface RunningApiServer {
  url: string
  caPem: string
  store: Store
  faults: Faults
  users: Record<string, RunningUser>
  certificate: ServerCertificate
  resource(name: string): Resource
  resources(): Resource[]
  /** Serves a resource as given from now on; its open watches end, as when a CustomResourceDefinition changes. */
  register(resource: Resource): void
  stop(): Promise<void>
}

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

function registryOf(options: ApiServerOptions): Registry {
  const families = options.families ?? ['cluster-api', 'openshift']
  const policies = options.mutatingPolicies === undefined ? 'v1' : options.mutatingPolicies
  const [, minor = '99'] = /^v1\.(\d+)/.exec(options.version ?? '') ?? []
  const resources = [
    ...coreKinds,
    ...(Number(minor) < 30 ? admissionKindsBefore130 : admissionKinds(policies)),
    ...(families.includes('cluster-api') ? clusterApiKinds : []),
    ...(families.includes('openshift') ? openShiftKinds : []),
    ...(options.resources ?? []),
  ]
  const registry = new Registry(resources)
  for (const [name, rules] of Object.entries(options.validators ?? {}))
    registry.replace({ ...registry.get(name), rules })
  return registry
}

export async function startApiServer(options: ApiServerOptions = {}): Promise<RunningApiServer> {
  const registry = registryOf(options)
  const base = new Objectbase(options.window ?? 20_000)
  for (const resource of registry.all()) if (!resource.builtIn) publishDefinition(base, resource)
  const admission = createAdmission(base)
  const writes = new Writes(registry, base, admission)
  const store = createStore(writes)
  for (const { resource, object } of options.objects ?? []) {
    base.of(nameOf(registry.get(resource))).put(object)
    base.version = Math.max(base.version, Number(object.metadata.resourceVersion))
  }
  // Clients may have seen versions that a snapshot has missed: none of theirs may pass for one of this start.
  if (options.objects) base.version += 1_000_000
  // Nobody watched before now.
  base.forget()
  const system = { user: 'system:apiserver', groups: ['system:masters'], fieldManager: 'kube-apiserver' }
  for (const name of [...NAMESPACES, ...(options.namespaces ?? [])])
    if (!store.get('namespaces', name))
      await store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, system)

  const { faults, state } = createFaults({
    gone() {
      base.forget()
      watches.end()
    },
    reset: () => watches.reset(),
  })
  const watches = new Watches(base, state, options.bookmarkMs ?? 5_000)
  const certificate = options.certificate ?? (await makeCertificate())
  const { caPem, certPem, keyPem } = certificate
  const server = createServer({ cert: certPem, key: keyPem, keepAliveTimeout: 90_000 })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const given = Object.entries(options.users ?? {}).map(([name, rules]) => ({ name, groups: [], rules }))
  const all = [...given, { name: 'admin', groups: ['system:masters'], rules: [] }]
  const users = new Users(all, { url, caPem, cluster: options.name ?? 'sandbox' }, options.tokens)
  const authorizer = new Authorizer(() => all, store)
  const discovery = new Discovery(registry, options.version ?? 'v1.34.2')
  const handler = createHandler({
    base,
    writes,
    users,
    authorizer,
    faults: state,
    discovery,
    lists: new Lists(base),
    watches,
  })
  server.on('request', (request, response) => void handler(request, response))

  return {
    url,
    caPem,
    store,
    faults,
    users: users.all,
    certificate,
    resource: (name) => registry.get(name),
    resources: registry.all,
    register(resource) {
      registry.replace(resource)
      if (!resource.builtIn) publishDefinition(base, resource)
      watches.end(nameOf(resource))
    },
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}
