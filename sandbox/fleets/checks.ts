import * as N from '../controllers/names'
import { json } from '../controllers/kinds'
import type { ClusterSeed } from './clusters'
import type { Seeds } from './seeds'

const DAY = 24 * 3_600_000

/** MachineHealthChecks of a cluster, as their owners would have written them; those of groups wait as long as the group says. */
export function addChecks(seeds: Seeds, c: ClusterSeed) {
  const add = (name: string, matchLabels: Record<string, string>, seconds: number, most: string) =>
    seeds.add(N.HEALTH_CHECKS, {
      apiVersion: N.CORE,
      kind: 'MachineHealthCheck',
      name,
      namespace: c.namespace,
      age: c.ageDays * DAY,
      labels: { [N.LABEL.cluster]: c.name },
      manager: 'gitops',
      spec: json({
        clusterName: c.name,
        selector: { matchLabels },
        checks: {
          nodeStartupTimeoutSeconds: 1200,
          unhealthyNodeConditions: ['False', 'Unknown'].map((status) => ({
            ...{ type: 'Ready', status, timeoutSeconds: seconds },
          })),
        },
        remediation: { triggerIf: { unhealthyLessThanOrEqualTo: most } },
      }),
    })
  for (const { name, checkedAfter } of c.groups) {
    const label = c.topology ? N.LABEL.topologyDeployment : N.LABEL.deployment
    const labels = { [label]: c.topology ? name : `${c.name}-${name}` }
    if (checkedAfter !== undefined) add(`${c.name}-${name}`, labels, checkedAfter, '40%')
  }
  if (c.groups.some(({ checkedAfter }) => checkedAfter !== undefined) && c.controlPlane.replicas > 1)
    add(`${c.name}-cp`, { [N.LABEL.controlPlane]: '' }, 600, '34%')
}
