import type { IntOrPercent } from '../../lib/domain/rollout'
import type { JsonObject } from '../../lib/domain/json'
import * as N from '../controllers/names'
import { inner } from '../controllers/clones'
import { counters } from '../controllers/summaries'
import { json, type Machine } from '../controllers/kinds'
import type { SandboxObject } from '../types'
import { addTemplate, hostSpec, type ClusterSeed } from './clusters'
import { addMachine, type MachineSeed } from './machines'
import { ownedBy, type Seeds } from './seeds'

const DAY = 24 * 3_600_000
const MINUTE = 60_000

export interface GroupSeed {
  name: string
  replicas: number
  maxSurge?: IntOrPercent
  maxUnavailable?: IntOrPercent
  zones?: string[]
  /** How long a host takes to come up: "35s", "3m30s". */
  startup?: string
  /** A MachineHealthCheck waits so many seconds for a node that is not ready. */
  checkedAfter?: number
  /** For how long a host is away when it is updated in place. */
  away?: string
  /**
   * A restart (spec.rollout.after) this many minutes ago, with so many machines replaced. Restarts always replace, so
   * they ask no updater.
   */
  restart?: { minutesAgo: number; replaced: number; stuckOn?: string }
}

export const JOIN: JsonObject = {
  joinConfiguration: {
    nodeRegistration: {
      criSocket: 'unix:///run/containerd/containerd.sock',
      kubeletExtraArgs: [{ name: 'max-pods', value: '110' }],
    },
  },
}

const restarted = 'MachineDeployment spec.rolloutAfter expired'

export function addDeployment(
  seeds: Seeds,
  c: ClusterSeed,
  g: GroupSeed,
  cluster: SandboxObject,
  clusterLabels: Record<string, string>,
) {
  const { namespace } = c
  const age = c.ageDays * DAY
  const name = c.topology ? `${c.name}-${g.name}-${seeds.random.suffix()}` : `${c.name}-${g.name}`
  const labels = { ...clusterLabels, ...(c.topology ? { [N.LABEL.topologyDeployment]: g.name } : {}) }
  const host = addTemplate(
    seeds,
    N.DEV_MACHINE_TEMPLATES,
    'DevMachineTemplate',
    N.INFRASTRUCTURE,
    name,
    cluster,
    hostSpec(g.startup),
  )
  if (g.away)
    host.spec = json({
      template: { ...inner(host), metadata: { annotations: { [N.HOST.awayInUpdates]: g.away } } },
    })
  const config = addTemplate(seeds, N.CONFIG_TEMPLATES, 'KubeadmConfigTemplate', N.BOOTSTRAP, name, cluster, JOIN)
  const selector = { ...labels, [N.LABEL.deployment]: name }
  const template = json({
    metadata: { labels: selector },
    spec: {
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfigTemplate', name } },
      clusterName: c.name,
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevMachineTemplate', name },
      version: c.version,
    },
  })
  const after = g.restart && seeds.at(g.restart.minutesAgo * MINUTE)
  const deployment = seeds.add(N.MACHINE_DEPLOYMENTS, {
    apiVersion: N.CORE,
    kind: 'MachineDeployment',
    name,
    namespace,
    age,
    labels,
    annotations: { [N.ANNOTATION.revision]: after ? '2' : '1' },
    owners: ownedBy(cluster, false),
    finalizers: ['cluster.x-k8s.io/machinedeployment'],
    manager: c.topology ? 'capi-topology' : 'gitops',
    spec: json({
      clusterName: c.name,
      replicas: g.replicas,
      rollout: {
        after,
        strategy: {
          rollingUpdate: { maxSurge: g.maxSurge ?? 0, maxUnavailable: g.maxUnavailable ?? 1 },
          type: 'RollingUpdate',
        },
      },
      selector: { matchLabels: selector },
      template,
    }),
  })
  const set = (revision: number, setAge: number, count: number, replicas: number) =>
    addSet(seeds, { c, g, deployment, template, selector, host, config, revision, age: setAge, count, replicas })
  const machines: Machine[] = []
  if (!g.restart) machines.push(...set(1, age, g.replicas, g.replicas))
  else {
    const { replaced, minutesAgo, stuckOn } = g.restart
    machines.push(...set(1, age, g.replicas - replaced, g.replicas - replaced - (stuckOn ? 1 : 0)))
    if (replaced > 0) machines.push(...set(2, minutesAgo * MINUTE - 5_000, replaced, replaced))
  }
  deployment.status = json({
    ...counters(machines),
    observedGeneration: 1,
    phase: 'Running',
    selector: `${N.LABEL.cluster}=${c.name},${N.LABEL.deployment}=${name}`,
  })
}

interface SetSeed {
  c: ClusterSeed
  g: GroupSeed
  deployment: SandboxObject
  template: JsonObject
  selector: Record<string, string>
  host: SandboxObject
  config: SandboxObject
  revision: number
  age: number
  count: number
  replicas: number
}

function addSet(seeds: Seeds, s: SetSeed): Machine[] {
  const random = seeds.random.suffix()
  const name = `${s.deployment.metadata.name}-${random}`
  const { namespace } = s.c
  const labels = { ...s.selector, [N.LABEL.hash]: `${1_000_000_000 + seeds.random.int(3_000_000_000)}-${random}` }
  const old = s.g.restart !== undefined && s.revision === 1
  const set = seeds.add(N.MACHINE_SETS, {
    apiVersion: N.CORE,
    kind: 'MachineSet',
    name,
    namespace,
    age: s.age,
    labels,
    annotations: {
      [N.ANNOTATION.disableCreate]: 'false',
      [N.ANNOTATION.desiredReplicas]: `${s.g.replicas}`,
      [N.ANNOTATION.maxReplicas]: `${s.g.replicas + (typeof s.g.maxSurge === 'number' ? s.g.maxSurge : 0)}`,
      [N.ANNOTATION.revision]: `${s.revision}`,
    },
    owners: ownedBy(s.deployment),
    finalizers: ['cluster.x-k8s.io/machineset'],
    spec: {
      clusterName: s.c.name,
      replicas: s.replicas,
      selector: { matchLabels: labels },
      template: { ...s.template, metadata: { labels } },
    },
  })
  const machines: Machine[] = []
  for (let i = 0; i < s.count; i++) {
    const stuckOn = old && i === 0 ? s.g.restart?.stuckOn : undefined
    const machine: MachineSeed = {
      name: `${name}-${seeds.random.suffix()}`,
      namespace,
      cluster: s.c.name,
      version: s.c.version,
      owner: set,
      labels: { ...labels, [N.LABEL.set]: name },
      infrastructureTemplate: s.host,
      bootstrap: { spec: JOIN, template: s.config },
      failureDomain: s.g.zones?.[i % s.g.zones.length],
      // Those of a restart came one after the other, the others within the first hours.
      age: s.revision === 1 ? s.age - (i % 60) * MINUTE : Math.max(MINUTE, s.age - i * 3 * MINUTE),
      outdated: old ? restarted : undefined,
      stuck: stuckOn ? { ago: 23 * MINUTE, budget: stuckOn } : undefined,
    }
    machines.push(addMachine(seeds, machine))
  }
  set.status = json({
    ...counters(machines),
    observedGeneration: 1,
    selector: Object.entries(labels)
      .sort()
      .map(([k, v]) => `${k}=${v}`)
      .join(','),
  })
  return machines
}
