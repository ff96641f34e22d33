import type { JsonObject } from '../../../lib/domain/json'
import { configDiff } from '../../../lib/domain/pools/config-diff'
import { nodeEffect, type Effect } from '../../../lib/domain/pools/effect'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { at, items } from '../../../lib/providers/openshift/loose'
import { readDisruptionPolicies, readRendered } from '../../../lib/providers/openshift/rendered'
import { one, R, type Env } from './env'

const NONE: JsonObject[] = [{ type: 'None' }]
const RELOAD: JsonObject[] = [{ type: 'Reload', reload: { serviceName: 'crio.service' } }]
const restart = (serviceName: string): JsonObject => ({ type: 'Restart', restart: { serviceName } })

/** The operator's own (defaultClusterPolicies, pkg/apihelpers/apihelpers.go). */
const OWN: JsonObject[] = [
  { path: '/var/lib/kubelet/config.json', actions: NONE },
  { path: '/etc/machine-config-daemon/no-reboot/containers-gpg.pub', actions: RELOAD },
  { path: '/etc/containers/policy.json', actions: RELOAD },
  { path: '/etc/containers/registries.conf', actions: [{ type: 'Special' }] },
  { path: '/etc/containers/registries.d', actions: RELOAD },
  { path: '/etc/crio/policies', actions: RELOAD },
  { path: '/etc/nmstate/openshift', actions: NONE },
  {
    path: '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
    actions: [restart('coreos-update-ca-trust.service'), restart('crio.service')],
  },
]

/** Its own node disruption policies with the administrator's, which replace one of the same path, and that of keys (MergeClusterPolicies). */
export function disruptionStatus(configuration: KubeObject): JsonObject {
  const said = at(configuration, 'spec', 'nodeDisruptionPolicy')
  const [files, units] = [items(said, 'files'), items(said, 'units')]
  const replaced = OWN.map((own) => files.find(({ path }) => path === own.path) ?? own)
  const added = files.filter(({ path }) => OWN.every((own) => own.path !== path))
  const keys = items(at(configuration, 'spec', 'nodeDisruptionPolicy', 'sshkey'), 'actions')
  return {
    clusterPolicies: {
      files: [...replaced, ...added],
      units: units.length > 0 ? units : null,
      sshkey: { actions: keys.length > 0 ? keys : NONE },
    },
  }
}

/** What a daemon does to its node to take another config up; a reboot where it cannot tell. */
export function effectOn(env: Env, current: string | undefined, desired: string): Effect {
  const [from, to] = [one(env, R.configs, String(current)), one(env, R.configs, desired)]
  const configuration = one(env, R.configuration, 'cluster')
  const policies = configuration && readDisruptionPolicies(configuration)
  if (!from || !to || !policies) return 'reboot'
  const { changes } = configDiff(readRendered(from), readRendered(to))
  return nodeEffect(changes, policies)?.does ?? 'reboot'
}
