import { describe, expect, test } from 'vitest'
import { explanation } from '@/lib/domain/errors'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { projectMachine } from './machine'
import { condition, machine, machineConditions } from './testing/objects'

const PDB = `Drain not completed yet (started at 2026-01-01T11:00:00Z):
* Pod shop/db-0: cannot evict pod as it would violate the pod's disruption budget. The disruption budget db needs 3 healthy pods and has 3 currently`
const START = { nodeDrainStartTime: '2026-01-01T11:00:00Z' }

interface Of {
  reason: string
  message?: string
  limit?: number
  deletion?: JsonObject
  drained?: 'True' | 'False'
  annotations?: Record<string, string>
}

function going({ reason, message = '', limit = 60, deletion = START, drained = 'False', annotations = {} }: Of) {
  const object: KubeObject = machine({
    name: 'm',
    phase: 'Deleting',
    metadata: { deletionTimestamp: '2026-01-01T10:59:59Z', annotations },
    conditions: machineConditions(condition('Deleting', 'True', reason, message)),
    status: {
      deletion,
      deprecated: {
        v1beta1: { conditions: [condition('DrainingSucceeded', drained, drained === 'True' ? '' : 'Draining')] },
      },
    },
  })
  object.spec = { ...object.spec, deletion: { nodeDrainTimeoutSeconds: limit } }
  const context = { find: () => undefined, governed: () => false, now: Date.parse('2026-01-01T11:05:00Z') }
  return projectMachine(object, context as never).machine!
}

describe('a drain that has a time-out', () => {
  const kept = 'a disruption budget keeps shop/db-0 on its node'
  const ends = `${kept}; its drain is given up at 2026-01-01 11:01:00 UTC`

  test('says when it is given up, wherever the machine is told', () => {
    expect(going({ reason: 'DrainingNode', message: PDB })).toMatchObject({
      ...{ sentence: `Being deleted: ${ends}.`, troubleWords: ends, trouble: 'drain-budget' },
    })
    expect(explanation('drain-budget', ends)).toMatchObject({ normally: null, until: '2026-01-01 11:01:00 UTC' })
    const none = going({ reason: 'DrainingNode', message: PDB, limit: 0 })
    expect(none.troubleWords).toBe(kept)
    expect(explanation('drain-budget', kept)).not.toHaveProperty('until')
  })

  test('does not hang for good where one without does', () => {
    const two = 'a pod on its node has more than one disruption budget'
    expect(explanation('drain-two-budgets', two)?.terminal).toBe(true)
    const words = going({
      reason: 'DrainingNode',
      message: 'This pod has more than one PodDisruptionBudget',
    }).troubleWords
    expect(explanation('drain-two-budgets', words)?.terminal).toBe(false)
  })

  const late = { ...START, waitForNodeVolumeDetachStartTime: '2026-01-01T11:01:07Z' }
  const after = {
    reason: 'WaitingForInfrastructureDeletion',
    message: 'Waiting for DevMachine to be deleted',
    deletion: late,
  }
  const gone = 'waiting for its infrastructure to be deleted (Waiting for DevMachine to be deleted)'

  test('says afterwards that it was given up', () => {
    expect(going(after).sentence).toBe(`Being deleted: ${gone}; its drain was given up after 1m.`)
  })

  test.each<[string, Partial<Of>]>([
    ['the drain came to its end', { drained: 'True' }],
    ['it went on before', { deletion: { ...START, waitForNodeVolumeDetachStartTime: '2026-01-01T11:00:40Z' } }],
    ['nobody knows when it went on', { deletion: START }],
    ['somebody had it not drained', { annotations: { 'machine.cluster.x-k8s.io/exclude-node-draining': '' } }],
    ['it has no time-out', { limit: 0 }],
  ])('but not where %s', (_, other) => {
    expect(going({ ...after, ...other }).sentence).toBe(`Being deleted: ${gone}.`)
  })
})
