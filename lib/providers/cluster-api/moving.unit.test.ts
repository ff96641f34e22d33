import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { isMoving } from './moving'

const IN_PLACE = 'in-place-updates.internal.cluster.x-k8s.io'
const PENDING = { [`${IN_PLACE}/pending-acknowledge-move`]: '' }
const object = (kind: string, name: string, metadata: object, spec = {}) =>
  ({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind, metadata: { name, uid: name, ...metadata }, spec }) as KubeObject
const machine = (name: string, set: string, annotations = {}, more = {}) =>
  object('Machine', name, { annotations, ownerReferences: [{ kind: 'MachineSet', uid: set }], ...more })
const old = (replicas: number, moves = true) =>
  object('MachineSet', 'old', moves ? { annotations: { [`${IN_PLACE}/move-machines-to-machineset`]: 'new' } } : {}, {
    replicas,
  })
const next = (replicas: number, counted?: string) =>
  object('MachineSet', 'new', counted ? { annotations: { [`${IN_PLACE}/acknowledged-move`]: counted } } : {}, {
    replicas,
  })

const two = [machine('m1', 'old'), machine('m2', 'old')]
const gone = { deletionTimestamp: '2026-01-01T00:00:00Z' }

test.each<[string, KubeObject[], KubeObject[], boolean]>([
  ['at rest', [old(2)], two, false],
  ['chosen by scaling its set down', [old(1), next(0)], two, true],
  ['scaled down to replace: nothing moves', [old(1, false), next(1)], two, false],
  ['the one too many is being deleted', [old(1)], [two[0]!, machine('m2', 'old', {}, gone)], false],
  ['moved, not counted', [old(1), next(0)], [two[0]!, machine('m2', 'new', PENDING)], true],
  ['moved, others are counted', [old(0), next(1, 'm1')], [machine('m1', 'new'), machine('m2', 'new', PENDING)], true],
  ['counted, and about to begin', [old(1), next(1, 'm2')], [two[0]!, machine('m2', 'new', PENDING)], false],
  ['moved, and being deleted', [old(1), next(0)], [two[0]!, machine('m2', 'new', PENDING, gone)], false],
])('%s', (_, sets, machines, moving) => expect(isMoving(sets, machines)).toBe(moving))
