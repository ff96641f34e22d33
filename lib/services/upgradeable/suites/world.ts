import { db } from '@/lib/db/client'
import { pino } from 'pino'
import { openShiftWriteRbac, rbacManifest } from '@/lib/domain/access/manifest'
import { rulesFromManifests, startApiServer, type RunningApiServer } from '@/sandbox/apiserver'
import {
  openShiftFleet,
  openShiftResources,
  startOpenShiftControllers,
  type OpenShiftFleetOptions,
} from '@/sandbox/openshift'
import { skewConsumer } from '@/worker/skew'
import { upgradeableConsumer } from '@/worker/upgradeable'
import { startWorker, type Worker } from '@/worker/worker'
import { addCluster } from '../../clusters/add-cluster'
import { closeClients } from '../../clusters/connection'
import type { Ctx, Role } from '../../context'
import { getUpgradeable, type UpgradeableDto } from '../get-cluster'

export const as = (role: Role): Ctx => ({ actor: { kind: 'user', id: 'u1', name: 'l.varga', role } })
export const SOMEBODY = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
export const GATES = 'openshift-config-managed/admin-gates'
export const ACKS = 'openshift-config/admin-acks'
export const OPERATORS = 'clusteroperators.config.openshift.io'
export const VERSIONS = 'clusterversions.config.openshift.io'

export interface World {
  clusterId: string
  server: RunningApiServer
  /** What Drydock says of the cluster as soon as it is so. */
  until(what: string, is: (found: UpgradeableDto) => boolean): Promise<UpgradeableDto>
  /** What an operator says of itself. */
  operatorSays(name: string, reason: string | null, message?: string): Promise<unknown>
  stop(): Promise<void>
}

/** A sandbox cluster of a release, connected and followed. */
export async function upgradeableWorld(name: string, fleet: OpenShiftFleetOptions, speed = 200): Promise<World> {
  const server = await startApiServer({
    version: 'v1.35.4',
    families: ['openshift'],
    resources: openShiftResources(),
    objects: openShiftFleet({ name, machines: 6, ...fleet }),
    users: { drydock: rulesFromManifests([...rbacManifest(['openshift']), ...openShiftWriteRbac()]) },
  })
  const controllers = startOpenShiftControllers(server.store, { speed, life: false, onError: (e) => console.error(e) })
  const { clusterId } = await addCluster(as('admin'), { name, kubeconfig: server.users.drydock!.kubeconfig })
  const consumers = [skewConsumer, upgradeableConsumer]
  const log = pino({ level: 'silent' })
  const worker: Worker = await startWorker({ consumers, parts: [], intervalMs: 20, tickMs: 100, log })
  const read = () => getUpgradeable(as('viewer'), { cluster: name }).catch(() => null)
  return {
    clusterId,
    server,
    async until(what, is) {
      let found: UpgradeableDto | null = null
      for (const deadline = Date.now() + 25_000; Date.now() < deadline; await new Promise((r) => setTimeout(r, 40))) {
        found = await read()
        if (found && is(found)) return found
      }
      const streams = await db().stream.findMany({ where: { clusterId, resource: { startsWith: 'configmaps' } } })
      throw new Error(
        `Waited in vain for ${what}; ${streams.map((s) => [s.resource, s.state, s.objects, s.message].join(' ')).join('; ')}; the last was ${JSON.stringify(found, null, 1)}`,
      )
    },
    operatorSays(operator, reason, message = '') {
      const stored = server.store.get(OPERATORS, operator)?.status?.conditions as { type: string }[] | undefined
      const upgradeable = {
        type: 'Upgradeable',
        status: reason ? 'False' : 'True',
        reason: reason ?? 'AsExpected',
        message,
      }
      const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z/, 'Z')
      const conditions = [
        ...(stored ?? []).filter((c) => c.type !== 'Upgradeable'),
        { ...upgradeable, lastTransitionTime },
      ]
      return server.store.merge(OPERATORS, operator, { status: { conditions } }, SOMEBODY, 'status')
    },
    async stop() {
      await worker.stop()
      await controllers.stop()
      await closeClients()
      await server.stop()
    },
  }
}
