import type { Json, JsonObject } from '@/lib/domain/json'
import type { Case } from './machine-deployments'

const cp = (spec: Json): JsonObject => ({ spec })
const surge = (maxSurge: Json, more: JsonObject = {}): JsonObject =>
  cp({ rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge } } }, ...more })
const kubeadm = (value: Json): JsonObject => cp({ kubeadmConfigSpec: value })
const machine = (spec: Json): JsonObject => cp({ machineTemplate: { spec } })

export const CREATED: Case[] = [
  ['valid', {}],
  ['one replica', cp({ replicas: 1 })],
  ['two replicas', cp({ replicas: 2 })],
  ['four replicas', cp({ replicas: 4 })],
  ['no replica', cp({ replicas: 0 })],
  ['replicas below zero', cp({ replicas: -1 })],
  [
    'two replicas, etcd outside',
    cp({
      replicas: 2,
      kubeadmConfigSpec: {
        clusterConfiguration: {
          etcd: { external: { endpoints: ['https://e:2379'], caFile: '/ca', certFile: '/c', keyFile: '/k' } },
        },
      },
    }),
  ],
  ['no surge, three replicas', surge(0)],
  ['no surge, one replica', surge(0, { replicas: 1 })],
  ['surge of two', surge(2)],
  ['surge in per cent', surge('50%')],
  ['surge of one in quotes', surge('1')],
  ['surge as a word', surge('one')],
  ['OnDelete', cp({ rollout: { strategy: { type: 'OnDelete' } } })],
  ['rollout empty', cp({ rollout: {} })],
  ['rollout before six days', cp({ rollout: { before: { certificatesExpiryDays: 6 } } })],
  ['rollout before seven days', cp({ rollout: { before: { certificatesExpiryDays: 7 } } })],
  ['version without v', cp({ version: '1.34.0' })],
  ['version as a word', cp({ version: 'latest' })],
  ['version with a build', cp({ version: 'v1.34.0+vendor' })],
  ['version empty', cp({ version: '' })],
  ['no version', cp({ version: null })],
  ['no machineTemplate', cp({ machineTemplate: null })],
  ['no infrastructure', machine({ infrastructureRef: null })],
  ['infrastructure with a bad name', machine({ infrastructureRef: { name: 'Small' } })],
  ['drain time-out below zero', machine({ deletion: { nodeDrainTimeoutSeconds: -1 } })],
  [
    'infrastructure where v1beta1 has it',
    cp({ machineTemplate: { infrastructureRef: { kind: 'DevMachineTemplate', name: 'small' } } }),
  ],
  ['strategy where v1beta1 has it', cp({ rolloutStrategy: { type: 'RollingUpdate' } })],
  ['unknown kubeadm field', kubeadm({ clusterConfig: {} })],
  ['commands as a word', kubeadm({ preKubeadmCommands: 'true' })],
  ['no kubeadmConfigSpec', kubeadm(null)],
  ['image tag too long', kubeadm({ clusterConfiguration: { dns: { imageTag: 'x'.repeat(257) } } })],
  ['a file without a path', kubeadm({ files: [{ content: 'x' }] })],
  ['users without a name', kubeadm({ users: [{ shell: '/bin/sh' }] })],
  ['verbosity as a word', kubeadm({ verbosity: 'loud' })],
  ['format unknown', kubeadm({ format: 'bash' })],
  ['machine naming without random', cp({ machineNaming: { template: 'one' } })],
  ['remediation retry below zero', cp({ remediation: { maxRetry: -1 } })],
]

export const PATCHED: Case[] = [
  ['nothing', {}],
  ['a patch version', cp({ version: 'v1.34.1' })],
  ['a patch version back', cp({ version: 'v1.34.0-rc.0' })],
  ['one minor on', cp({ version: 'v1.35.0' })],
  ['two minors on', cp({ version: 'v1.36.0' })],
  ['one minor back', cp({ version: 'v1.33.0' })],
  ['a major on', cp({ version: 'v2.0.0' })],
  ['a bad version', cp({ version: '1.34.x' })],
  ['version away', cp({ version: null })],
  ['two replicas', cp({ replicas: 2 })],
  ['five replicas', cp({ replicas: 5 })],
  ['replicas away', cp({ replicas: null })],
  ['one replica without surge', surge(0, { replicas: 1 })],
  ['rollout away', cp({ rollout: null })],
  ['commands', kubeadm({ preKubeadmCommands: ['true'] })],
  ['DNS image tag', kubeadm({ clusterConfiguration: { dns: { imageTag: 'v1.12.1' } } })],
  [
    'DNS image tag that is none',
    kubeadm({ clusterConfiguration: { dns: { imageRepository: 'registry.k8s.io', imageTag: 'one two' } } }),
  ],
  ['certificates directory', kubeadm({ clusterConfiguration: { certificatesDir: '/etc/other' } })],
  ['control plane endpoint', kubeadm({ clusterConfiguration: { controlPlaneEndpoint: 'other:6443' } })],
  ['init configuration', kubeadm({ initConfiguration: { nodeRegistration: { name: 'n' } } })],
  ['format', kubeadm({ format: 'ignition' })],
  ['infrastructure of another name', machine({ infrastructureRef: { name: 'large' } })],
  ['infrastructure of another group', machine({ infrastructureRef: { apiGroup: 'infrastructure.example.com' } })],
  ['machineTemplate away', cp({ machineTemplate: null })],
  ['unknown field', cp({ hold: true })],
]
