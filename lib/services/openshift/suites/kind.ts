import type { OpenShiftAction } from '@/lib/db/generated/client'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ActionKind, PlannedStep, Seen } from '../kind'
import { skewKind } from '../kinds/skew'
import { stepsOf } from '../row-steps'

const modeOf = (object: KubeObject): unknown =>
  (object.status?.bootImageSkewEnforcementStatus as JsonObject | undefined)?.mode

/** A kind in two steps, for tests of the engine: what the operator decided in between is what the second step needs. */
export const inSteps: ActionKind & { shown: Seen | null } = {
  ...skewKind,
  kind: 'in-steps',
  audit: 'in-steps',
  shown: null,
  anew: (row) => Promise.resolve(stepsOf(row)),
  ready: (object) => modeOf(object) !== 'Automatic' && object.status?.observedGeneration === object.metadata.generation,
  seen(_: OpenShiftAction) {
    return Promise.resolve(this.shown)
  },
}

const selection = (mode: string): JsonObject => ({
  machineManagers: [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode } }],
})
export const ALL = selection('All')
export const NONE = selection('None')

export const STEPS: PlannedStep[] = [
  {
    label: 'Record 4.16.0',
    body: {
      spec: {
        bootImageSkewEnforcement: {
          mode: 'Manual',
          manual: { mode: 'OCPVersion', ocpVersion: '4.16.0', rhcosVersion: null },
        },
      },
    },
    back: { label: 'Let the operator decide', body: { spec: { bootImageSkewEnforcement: null } } },
  },
  {
    label: 'Manage no machine set',
    body: { spec: { managedBootImages: NONE } },
    waitsFor: 'the operator has left Automatic',
    back: {
      label: 'Let the operator decide',
      body: { spec: { bootImageSkewEnforcement: null, managedBootImages: ALL } },
    },
  },
]
