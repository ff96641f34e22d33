import { core, type Example } from './facts'

export const CONTROL_PLANE_EXAMPLES: readonly Example[] = [
  [
    'bootstrap-cluster-waiting',
    core(
      'BootstrapConfigReady',
      'NotReady',
      '* DataSecretAvailable: Waiting for Cluster status.infrastructureReady to be true',
    ),
  ],
  [
    'bootstrap-control-plane-waiting',
    core(
      'BootstrapConfigReady',
      'NotReady',
      '* DataSecretAvailable: Waiting for Cluster control plane to be initialized',
    ),
  ],
  [
    'bootstrap-files',
    core(
      'BootstrapConfigReady',
      'NotReady',
      '* DataSecretAvailable: Failed to prepare spec.files: secret references non-existent secret key: "audit"',
    ),
  ],
  [
    'bootstrap-users',
    core(
      'BootstrapConfigReady',
      'NotReady',
      '* DataSecretAvailable: Failed to read password from secrets for spec.users',
    ),
  ],
  [
    'bootstrap-kubeconfig',
    core(
      'BootstrapConfigReady',
      'NotReady',
      '* DataSecretAvailable: Failed to create kubeconfig for spec.joinConfiguration.discovery.file',
    ),
  ],
  ['bootstrap-certificates', core('BootstrapReady', 'CertificatesCorrupted', 'tls: failed to find any PEM data')],
  [
    'control-plane-certificates',
    core(null, null, 'Cluster certificate for ca is not available, please check cluster certificate secrets'),
  ],
  ['bootstrap-data-failed', core('BootstrapReady', 'DataSecretGenerationFailed', 'token discovery is empty')],
  ['bootstrap-missing', core('BootstrapConfigReady', 'DoesNotExist', 'KubeadmConfig does not exist')],
  [
    'bootstrap-waiting',
    core('BootstrapConfigReady', 'NotReady', 'KubeadmConfig status.initialization.dataSecretCreated is false'),
  ],
  [
    'kubeadm-kubelet',
    core(
      'InfrastructureReady',
      'NotReady',
      '* BootstrapCompleted: ERROR: exit status 1 STDERR: error execution phase kubelet-start: timed out waiting for the condition',
    ),
  ],
  [
    'kubeadm-phase',
    core(
      'InfrastructureReady',
      'NotReady',
      "* BootstrapCompleted: STDERR: error execution phase preflight: couldn't validate the identity of the API Server",
    ),
    'kubeadm failed in its phase preflight',
  ],
  [
    'etcd-connect',
    core('EtcdMemberHealthy', 'InspectionFailed', 'Failed to connect to etcd: context deadline exceeded'),
  ],
  [
    'etcd-alarms',
    core('EtcdMemberHealthy', 'NotHealthy', 'Etcd reports alarms: NOSPACE'),
    'etcd reports the alarm NOSPACE',
  ],
  ['etcd-member-missing', core('EtcdMemberHealthy', 'NotHealthy', "Etcd doesn't have an etcd member for Node cp-1")],
  ['etcd-learner', core('EtcdMemberHealthy', 'NotHealthy', 'Waiting for learner etcd member to be promoted')],
  ['static-pod-missing', core('APIServerPodHealthy', 'DoesNotExist', 'Pod does not exist')],
  ['static-pod-crashing', core('Ready', 'NotReady', '* ControllerManagerPodHealthy: CrashLoopBackOff')],
  ['static-pod-image', core('EtcdPodHealthy', 'Provisioning', 'ImagePullBackOff')],
  ['plane-node-unreachable', core('SchedulerPodHealthy', 'InspectionFailed', 'Node cp-1 is unreachable')],
  [
    'preflight-control-plane',
    core(
      null,
      null,
      'MachineSet w-new: Scaling up from 2 to 3 replicas is blocked because: KubeadmControlPlane fleet/cp is upgrading ("ControlPlaneIsStable" preflight check failed)',
    ),
  ],
  [
    'preflight-kubernetes-skew',
    core(
      null,
      null,
      'MachineSet version (1.36.0) and ControlPlane version (1.35.1) do not conform to the kubernetes version skew policy as MachineSet version is higher than ControlPlane version ("KubernetesVersionSkew" preflight check failed)',
    ),
  ],
  [
    'preflight-kubeadm-skew',
    core(
      null,
      null,
      'MachineSet version (1.34.0) and ControlPlane version (1.35.1) do not conform to kubeadm version skew policy as kubeadm only supports joining with the same major+minor version as the control plane ("KubeadmVersionSkew" preflight check failed)',
    ),
  ],
  [
    'preflight-version-differs',
    core(
      null,
      null,
      'MachineSet version (v1.34.0) is not yet the same as the ControlPlane version (v1.34.1), waiting for version to be propagated to the MachineSet ("ControlPlaneVersionSkew" preflight check failed)',
    ),
  ],
  [
    'docker-container-stopped',
    core('InfrastructureReady', 'NotReady', '* ContainerProvisioned: Container c1-w-1 is not running anymore'),
  ],
  ['docker-waiting', core('InfrastructureReady', 'WaitingForStartupTimeout', '')],
]
