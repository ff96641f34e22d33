import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient } from '@/lib/kubernetes/types'
import { applyLatch, GOVERNED, untilLatched } from '../latch'
import { until } from '../process'
import type { TestCluster } from '../types'
import { clientOf, writeAs } from './as'
import {
  annotation,
  CLUSTER,
  expectFree,
  expectHeld,
  KCP,
  MD,
  refusal,
  release,
  staysStill,
  versions,
} from './watching'

const BREAK_GLASS = { user: 'night-shift', groups: ['system:masters', 'drydock:break-glass'] }
const OLD = 'v1.34.0'
const NEW = 'v1.34.1'
const NEWER = 'v1.34.2'

/** What the latch promises, on any cluster: the sandbox and the real managers. `core` leaves out the breadth. */
export function latchSuite(open: () => Promise<TestCluster>, options: { core?: boolean } = {}): void {
  const breadth = options.core ? describe.skip : describe

  let cluster: TestCluster
  let drydock: KubeClient
  let admin: KubeClient
  let ns: string
  let free: string

  beforeAll(async () => {
    cluster = await open()
    admin = cluster.admin
    drydock = clientOf(cluster.kubeconfig)
    await applyLatch(drydock)
    ns = await cluster.namespace(GOVERNED)
    free = await cluster.namespace()
    const make = (name: string, more: object, namespace = ns) =>
      cluster.workloadCluster({ namespace, name, version: OLD, ...more })
    await Promise.all([
      make('plain', { workers: { replicas: 3, maxSurge: 1, maxUnavailable: 0 } }),
      make('surge', { controlPlane: { replicas: 3, maxSurge: 1 } }),
      make('inplace', { controlPlane: { replicas: 3, maxSurge: 0 } }),
      make('classy', { topology: true, workers: { replicas: 1 } }),
      make('free', { workers: { replicas: 1 } }, free),
    ])
    await untilLatched(admin, ns, 'plain-md')
  })
  afterAll(async () => {
    await drydock?.close()
    await cluster?.stop()
  })

  const machineVersion = (version: string): JsonObject => ({ spec: { template: { spec: { version } } } })
  /** Back to the start: the revert is held as well, then released by Drydock. */
  const revert = async () => {
    await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(OLD))
    expectFree(await release(drydock, MD, 'plain-md', ns))
  }

  /** Read, changed and PUT back, again where a controller wrote in between. */
  const replace = async (edit: (object: { metadata: JsonObject; spec: JsonObject }) => unknown) => {
    const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${ns}/machinedeployments/plain-md`
    for (let attempt = 1; ; attempt++) {
      const object = structuredClone(await admin.get(MD, 'plain-md', ns)) as unknown as {
        metadata: JsonObject
        spec: JsonObject
      }
      edit(object)
      const answer = await writeAs(cluster.adminKubeconfig, 'PUT', path, object)
      if (answer.code !== 409 || attempt === 20) return answer
    }
  }

  breadth('a MachineDeployment’s version', () => {
    test('is held in the same write, by merge patch, and nothing moves', async () => {
      const answer = await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(NEW))
      expectHeld(answer, `Waiting for approval in Drydock: to version ${NEW}`)
      await staysStill(cluster, ns, 'plain')
      await revert()
    })

    test('is held through the v1beta1 endpoint', async () => {
      const answer = await admin.patch({ ...MD, version: 'v1beta1' }, 'plain-md', ns, 'merge', machineVersion(NEW))
      expectHeld(answer)
      expectHeld(await admin.get(MD, 'plain-md', ns))
      await revert()
    })

    test('is held by server-side apply of another manager, also when it applies again', async () => {
      const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${ns}/machinedeployments/plain-md?fieldManager=gitops&force=true`
      const body = {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'MachineDeployment',
        metadata: { name: 'plain-md', namespace: ns },
        ...machineVersion(NEW),
      }
      for (const _ of [1, 2]) {
        const { code, object } = await writeAs(
          cluster.adminKubeconfig,
          'PATCH',
          path,
          body,
          'application/apply-patch+yaml',
        )
        expect(code).toBe(200)
        expectHeld(object)
      }
      await revert()
    })

    test('is held by PUT, and a PUT that leaves the hold out is refused', async () => {
      const put = await replace((object) => {
        const template = object.spec.template as JsonObject & { spec: JsonObject }
        template.spec.version = NEW
      })
      expect(put.code).toBe(200)
      expectHeld(put.object)
      const stripped = await replace((object) => (object.metadata.annotations = {}))
      expect(stripped).toMatchObject({ code: 403, message: expect.stringContaining('Drydock holds this') as string })
      await revert()
    })

    test('a pause that a person set keeps its value, and stays when Drydock lets go', async () => {
      await admin.patch(MD, 'plain-md', ns, 'merge', { metadata: { annotations: { [PAUSED]: 'maintenance' } } })
      const held = await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(NEW))
      expect(annotation(held, PAUSED)).toBe('maintenance')
      expect(annotation(held, HELD)).toContain(NEW)
      const theirs = admin.patch(MD, 'plain-md', ns, 'merge', { metadata: { annotations: { [PAUSED]: null } } })
      expect(await refusal(theirs)).toMatchObject({ code: 403 })
      await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(OLD))
      const released = await release(drydock, MD, 'plain-md', ns)
      expect(annotation(released, PAUSED)).toBe('maintenance')
      expect(annotation(released, HELD)).toBeUndefined()
      await admin.patch(MD, 'plain-md', ns, 'merge', { metadata: { annotations: { [PAUSED]: null } } })
      expectFree(await admin.get(MD, 'plain-md', ns))
    })
  })

  breadth('what does not roll out is not held', () => {
    test('replicas, labels and time-outs of a MachineDeployment', async () => {
      const answer = await admin.patch(MD, 'plain-md', ns, 'merge', {
        metadata: { labels: { team: 'blue' } },
        spec: {
          replicas: 3,
          deletion: { order: 'Oldest' },
          template: {
            metadata: { labels: { rack: 'r1' } },
            spec: { deletion: { nodeDrainTimeoutSeconds: 30 }, minReadySeconds: 0 },
          },
        },
      })
      expectFree(answer)
    })

    test('DNS, health check time-out and drain time-out of a control plane', async () => {
      const answer = await admin.patch(
        KCP,
        'surge-cp',
        ns,
        'merge',
        {
          spec: {
            kubeadmConfigSpec: { clusterConfiguration: { dns: { imageTag: 'v1.12.1' } } },
            machineTemplate: { spec: { deletion: { nodeDrainTimeoutSeconds: 30 } } },
          },
        },
        { dryRun: true },
      )
      expectFree(answer)
    })

    test('anything of a group that is not governed', async () => {
      const answer = await admin.patch(MD, 'free-md', free, 'merge', machineVersion(NEW))
      expectFree(answer)
      await until('the ungoverned rollout', async () =>
        (await versions(cluster, free, 'free', 'workers')).includes(NEW),
      )
    })
  })

  describe('control planes of three', () => {
    test.each([
      ['surge', 1],
      ['inplace', 0],
    ])('%s: version with maxSurge %i is held before a machine moves', async (name) => {
      const answer = await admin.patch(KCP, `${name}-cp`, ns, 'merge', { spec: { version: NEW } })
      expectHeld(answer, `to version ${NEW}`)
      await staysStill(cluster, ns, name)
      expectHeld(await admin.patch(KCP, `${name}-cp`, ns, 'merge', { spec: { version: OLD } }))
      expectFree(await release(drydock, KCP, `${name}-cp`, ns))
      await staysStill(cluster, ns, name, 1500)
    })

    const causes: [string, JsonObject][] = [
      ['a kubeadm command', { kubeadmConfigSpec: { preKubeadmCommands: ['true'] } }],
      [
        'an API server argument',
        { kubeadmConfigSpec: { clusterConfiguration: { apiServer: { extraArgs: [{ name: 'v', value: '3' }] } } } },
      ],
      ['another template', { machineTemplate: { spec: { infrastructureRef: { name: 'inplace-cp' } } } }],
      ['rollout.after', { rollout: { after: '2026-01-01T00:00:00Z' } }],
      ['rollout.before', { rollout: { before: { certificatesExpiryDays: 30 } } }],
    ]
    test.each(causes)('%s is held (dry run)', async (_, spec) => {
      expectHeld(await admin.patch(KCP, 'surge-cp', ns, 'merge', { spec }, { dryRun: true }))
    })
  })

  breadth('the guard', () => {
    test('lets only Drydock and the break-glass group release', async () => {
      expectHeld(await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(NEW)))
      const off = (key: string) => ({ metadata: { annotations: { [key]: null } } })
      for (const key of [HELD, PAUSED]) {
        for (const version of ['v1beta2', 'v1beta1']) {
          const refused = await refusal(admin.patch({ ...MD, version }, 'plain-md', ns, 'merge', off(key)))
          expect(refused).toMatchObject({
            code: 403,
            message: expect.stringContaining('only Drydock may remove the hold') as string,
          })
        }
      }
      const both = { metadata: { annotations: { [HELD]: null, [PAUSED]: null } } }
      expectFree(await admin.patch(MD, 'plain-md', ns, 'merge', both, { dryRun: true, impersonate: BREAK_GLASS }))
      // Together with a change the removal is not refused but undone: the same write is latched.
      expectHeld(await admin.patch(MD, 'plain-md', ns, 'merge', { ...machineVersion(NEWER), ...both }))
      await revert()
    })

    test('refuses a release for a state that has changed since it was read', async () => {
      expectHeld(await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(NEW)))
      const read = await drydock.get(MD, 'plain-md', ns)
      await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(NEWER))
      const metadata = { resourceVersion: read.metadata.resourceVersion, annotations: { [HELD]: null, [PAUSED]: null } }
      expect(await refusal(drydock.patch(MD, 'plain-md', ns, 'merge', { metadata }))).toMatchObject({ code: 409 })
      await revert()
    })
  })

  test('a ClusterClass cluster: the control plane is held, and after it the workers', async () => {
    await admin.patch(CLUSTER, 'classy', ns, 'merge', { spec: { topology: { version: NEW } } })
    await until('the control plane to be held', async () => annotation(await admin.get(KCP, 'classy-cp', ns), HELD))
    await staysStill(cluster, ns, 'classy')
    await release(drydock, KCP, 'classy-cp', ns)
    await until('the workers to be held', async () => annotation(await admin.get(MD, 'classy-md', ns), HELD), {
      ms: 150_000,
    })
    expect(await versions(cluster, ns, 'classy', 'control-plane')).toEqual([NEW])
    await staysStill(cluster, ns, 'classy')
    expect(await versions(cluster, ns, 'classy', 'workers')).toEqual([OLD])
    await release(drydock, MD, 'classy-md', ns)
    await until(
      'the workers to follow',
      async () => (await versions(cluster, ns, 'classy', 'workers')).join() === NEW,
      { ms: 90_000 },
    )
  })

  test('a second change in the middle of a released rollout is held again', async () => {
    await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(NEW))
    await release(drydock, MD, 'plain-md', ns)
    await until('the rollout to begin', async () => (await versions(cluster, ns, 'plain', 'workers')).includes(NEW), {
      every: 100,
    })
    expectHeld(await admin.patch(MD, 'plain-md', ns, 'merge', machineVersion(NEWER)), `to version ${NEWER}`)
    await until('what was under way to end', async () => {
      const machines = await cluster.machines(ns, 'plain')
      return machines.every((m) => m.status?.phase === 'Running' && !m.metadata.deletionTimestamp)
    })
    await staysStill(cluster, ns, 'plain')
    const left = await versions(cluster, ns, 'plain', 'workers')
    expect(left).not.toContain(NEWER)
    expect(left).toContain(OLD)
    await release(drydock, MD, 'plain-md', ns)
    await until(
      'the approved rollout to end',
      async () => (await versions(cluster, ns, 'plain', 'workers')).join() === [NEWER, NEWER, NEWER].join(),
      { ms: 120_000 },
    )
  })
}
