import type { JsonObject } from '@/lib/domain/json'
import type { Case } from './machine-deployments'

const template = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } })

/** Merge patches through the older endpoint. */
export const MACHINE_DEPLOYMENT: Case[] = [
  ['a version', template({ version: 'v1.34.1' })],
  ['a bad version', template({ version: '1.34.x' })],
  ['strategy', { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } } }],
  ['neither surge nor unavailable', { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } }],
  ['surge as a word', { spec: { strategy: { rollingUpdate: { maxSurge: 'x%' } } } }],
  ['rollout of v1beta2', { spec: { rollout: { after: '2026-01-01T00:00:00Z' } } }],
  ['rolloutAfter', { spec: { rolloutAfter: '2026-01-01T00:00:00Z' } }],
  ['drain time-out', template({ nodeDrainTimeout: '30s' })],
  ['drain time-out of v1beta2', template({ deletion: { nodeDrainTimeoutSeconds: 30 } })],
  ['unknown field', { spec: { hold: true } }],
  ['infrastructure of another name', template({ infrastructureRef: { name: 'large' } })],
  ['replicas', { spec: { replicas: 3 } }],
]

export const CONTROL_PLANE: Case[] = [
  ['a patch version', { spec: { version: 'v1.34.1' } }],
  ['two minors on', { spec: { version: 'v1.36.0' } }],
  ['two replicas', { spec: { replicas: 2 } }],
  ['surge of two', { spec: { rolloutStrategy: { rollingUpdate: { maxSurge: 2 } } } }],
  ['no surge', { spec: { rolloutStrategy: { rollingUpdate: { maxSurge: 0 } } } }],
  ['rollout of v1beta2', { spec: { rollout: { after: '2026-01-01T00:00:00Z' } } }],
  ['drain time-out', { spec: { machineTemplate: { nodeDrainTimeout: '30s' } } }],
  ['infrastructure of another name', { spec: { machineTemplate: { infrastructureRef: { name: 'large' } } } }],
  ['commands', { spec: { kubeadmConfigSpec: { preKubeadmCommands: ['true'] } } }],
]
