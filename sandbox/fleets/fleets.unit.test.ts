import { describe, expect, it } from 'vitest'
import { durationSeconds } from '../controllers/clock'
import type { MachineDeployment } from '../controllers/kinds'
import { clusterApiFleet } from './index'
import type { Seed } from './seeds'
import * as N from '../controllers/names'

type Phase = { provisioning: { startupDuration: string } }
interface InMemory {
  backend: { inMemory: { vm: Phase; node: Phase } }
}

const of = (seeds: Seed[], resource: string) => seeds.filter((s) => s.resource === resource).map((s) => s.object)
const keys = (seeds: Seed[]) =>
  seeds.map(({ resource, object: { metadata: m } }) => `${resource} ${m.namespace ?? ''}/${m.name}`)

describe('fleets', () => {
  it('the demo has 63 machines in four workload clusters, each with host and config of its name', () => {
    const seeds = clusterApiFleet()
    expect(
      of(seeds, N.CLUSTERS)
        .map((c) => c.metadata.name)
        .sort(),
    ).toEqual(['media', 'payments-prod', 'payments-stage', 'search-eu'])
    const machines = of(seeds, N.MACHINES)
    expect(machines).toHaveLength(63)
    for (const resource of [N.DEV_MACHINES, N.CONFIGS]) {
      expect(
        of(seeds, resource)
          .map((o) => o.metadata.name)
          .sort(),
      ).toEqual(machines.map((m) => m.metadata.name).sort())
    }
    expect(machines.filter((m) => m.metadata.deletionTimestamp)).toHaveLength(1)
  })

  it('the rollout in progress has more than ten minutes to go', () => {
    const seeds = clusterApiFleet()
    const named = (resource: string) => of(seeds, resource).find((o) => o.metadata.name === 'search-eu-indexers')
    const group = named(N.MACHINE_DEPLOYMENTS) as unknown as MachineDeployment
    const host = named(N.DEV_MACHINE_TEMPLATES)?.spec as unknown as { template: { spec: InMemory } }
    const { vm, node } = host.template.spec.backend.inMemory
    const perRound = [vm, node].reduce((sum, phase) => sum + durationSeconds(phase.provisioning.startupDuration), 0)
    const left = group.spec.replicas! - group.status!.upToDateReplicas!
    const rounds = left / Number(group.spec.rollout?.strategy?.rollingUpdate?.maxSurge)
    expect(perRound * rounds).toBeGreaterThan(600)
  })

  it('the same seed gives the same names and identities, another one others', () => {
    const names = (seed: number) =>
      clusterApiFleet({ seed }).map(({ object: { metadata } }) => `${metadata.name} ${metadata.uid}`)
    expect(names(1)).toEqual(names(1))
    expect(names(2)).not.toEqual(names(1))
  })

  it.each([63, 64, 66, 313, 1000, 5000])(
    'scales to %i machines exactly, with unique names and identities',
    (machines) => {
      const seeds = clusterApiFleet({ machines })
      expect(of(seeds, N.MACHINES)).toHaveLength(machines)
      expect(new Set(keys(seeds)).size).toBe(seeds.length)
      expect(new Set(seeds.map((s) => s.object.metadata.uid)).size).toBe(seeds.length)
    },
  )

  it('every owner exists, and every reference points to something', () => {
    const seeds = clusterApiFleet({ machines: 400 })
    const uids = new Map(seeds.map((s) => [s.object.metadata.uid, s.object]))
    for (const { object } of seeds) {
      for (const owner of object.metadata.ownerReferences ?? []) {
        expect(uids.get(owner.uid)).toMatchObject({ kind: owner.kind, metadata: { name: owner.name } })
      }
    }
  })

  it('holds no machines where none are wanted, and says which gates are on', () => {
    const args = (inPlace: boolean) => JSON.stringify(of(clusterApiFleet({ machines: 0, inPlace }), 'deployments.apps'))
    expect(of(clusterApiFleet({ machines: 0 }), N.MACHINES)).toEqual([])
    expect(args(true)).toContain('InPlaceUpdates=true')
    expect(args(false)).toContain('InPlaceUpdates=false')
  })
})
