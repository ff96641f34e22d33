import { core, aws, openshift, drain, type Example } from './facts'

export const MACHINE_EXAMPLES: readonly Example[] = [
  [
    'infrastructure-deleted',
    core(
      'Failure',
      'InvalidConfiguration',
      'Machine infrastructure resource DevMachine fleet/w-1 has been deleted after provisioning was completed',
    ),
  ],
  [
    'infrastructure-deleted',
    core('InfrastructureReady', 'Deleted', 'DevMachine has been deleted while the Machine still exists'),
    'its DevMachine was deleted while the Machine still exists',
  ],
  ['infrastructure-missing', core('InfrastructureReady', 'DoesNotExist', 'DevMachine does not exist')],
  [
    'infrastructure-waiting',
    core('InfrastructureReady', 'NotReady', 'DevMachine status.initialization.provisioned is false'),
  ],
  [
    'infrastructure-internal-error',
    core('InfrastructureReady', 'InternalError', 'Please check controller logs for errors'),
  ],
  ['cluster-infrastructure-waiting', aws('WaitingForClusterInfrastructure', '')],
  ['bootstrap-data-waiting', aws('WaitingForBootstrapData', '')],
  [
    'referenced-failure',
    core(
      'Failure',
      'CreateError',
      'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta1, Kind=IonosCloudMachine with name "w-1": volume is gone',
      'IonosCloudMachine',
    ),
  ],
  ['never-joined', core('NeverJoined', null, 'its infrastructure is there; waiting for the node to join')],
  [
    'node-waiting',
    core(
      'NodeHealthy',
      'InspectionFailed',
      'Waiting for a Node with spec.providerID aws:///eu-west-1a/i-0abc to exist',
    ),
  ],
  ['provider-id-waiting', core('NodeReady', 'InspectionFailed', 'Waiting for AWSMachine to report spec.providerID')],
  [
    'node-deleted',
    core('NodeHealthy', 'NodeDeleted', 'Node ip-10-0-0-7.internal has been deleted while the Machine still exists'),
    'its node ip-10-0-0-7.internal was deleted',
  ],
  ['node-deleted', core('HealthCheckSucceeded', 'NodeDeleted', 'Health check failed:\n  * Node w-1 has been deleted')],
  ['connection-down', core('NodeHealthy', 'ConnectionDown', 'Last successful probe at 2026-11-21T05:24:15Z')],
  ['kubelet-silent', core('NodeReady', 'NodeReadyUnknown', '* Node.Ready: Kubelet stopped posting node status.')],
  [
    'network-not-ready',
    core(
      'NodeReady',
      'NodeNotReady',
      '* Node.Ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
    ),
  ],
  ['runtime-down', core('NodeHealthy', 'NodeNotHealthy', '* Node.Ready: container runtime is down')],
  ['disk-pressure', core('NodeHealthy', 'NodeNotHealthy', '* Node.DiskPressure: kubelet has disk pressure')],
  [
    'memory-pressure',
    core('NodeHealthy', 'NodeNotHealthy', '* Node.MemoryPressure: kubelet has insufficient memory available'),
  ],
  [
    'kubelet-version-differs',
    core('UpToDate', 'NotUpToDate', '* Node.status.nodeInfo.kubeletVersion v1.34.1, v1.34.2 required'),
    'its kubelet is v1.34.1, and v1.34.2 is wanted',
  ],

  [
    'drain-budget',
    drain(
      "Pod media/encoder-0: cannot evict pod as it would violate the pod's disruption budget. The disruption budget encoder needs 3 healthy pods and has 3 currently",
    ),
    'a disruption budget keeps media/encoder-0 on its node',
  ],
  [
    'drain-budget',
    drain(
      "Pods media/a, media/b: cannot evict pod as it would violate the pod's disruption budget. The disruption budget encoder needs 3 healthy pods and has 3 currently",
    ),
    'a disruption budget keeps pods on its node',
  ],
  [
    'drain-budget',
    openshift(
      null,
      'could not drain machine: error when evicting pods/"web-0" -n "shop": Cannot evict pod as it would violate the pod\'s disruption budget.',
      'AWSMachineProviderConfig',
      'Drained',
    ),
  ],
  [
    'drain-two-budgets',
    drain(
      'Pod shop/web-0: failed to evict Pod, This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    ),
  ],
  [
    'drain-eviction-timeout',
    drain('Pod shop/web-0: failed to evict Pod, eviction timeout of 10s reached, eviction will be retried'),
  ],
  [
    'drain-eviction-failed',
    drain('Pod shop/web-0: failed to evict Pod, admission webhook "guard.example.com" denied the request: not now'),
    'the eviction of shop/web-0 is refused',
  ],
  [
    'drain-pod-terminating',
    drain('Pod shop/web-0: deletionTimestamp set, but still not removed from the Node'),
    'waiting for shop/web-0 to terminate',
  ],
  ['drain-pod-completing', drain('Pod shop/job-x: waiting for completion')],
  ['draining', core('Deleting', 'DrainingNode', 'Drain not completed yet (started at 2026-11-21T05:24:15Z):')],
  ['drain-error', core('Deleting', 'DrainingNode', 'Error draining Node, please check controller logs for errors')],
  [
    'volume-detach',
    core(
      'Deleting',
      'WaitingForVolumeDetach',
      'Waiting for Node volumes to be detached (started at 2026-11-21T05:24:15Z)\n* PersistentVolumeClaims: shop/data-0',
    ),
  ],
  [
    'pre-drain-hook',
    core(
      'Deleting',
      'WaitingForPreDrainHook',
      'Waiting for pre-drain hooks to succeed (hooks: storage.example.com/rebalance)',
    ),
    'waiting for the pre-drain hook storage.example.com/rebalance',
  ],
  [
    'pre-terminate-hook',
    core(
      'Deleting',
      'WaitingForPreTerminateHook',
      'Waiting for pre-terminate hooks to succeed (hooks: pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup)',
    ),
  ],
  ['external-hook', core('PreTerminateDeleteHookSucceeded', 'WaitingExternalHook', '')],
  [
    'infrastructure-deletion',
    core('Deleting', 'WaitingForInfrastructureDeletion', 'Waiting for AWSMachine to be deleted'),
    'waiting for its AWSMachine to be deleted',
  ],
  [
    'infrastructure-deletion-failed',
    core(
      'Deleting',
      'WaitingForInfrastructureDeletion',
      'Failed to delete AWSMachine, please check controller logs for errors',
    ),
  ],
  ['bootstrap-deletion', core('Deleting', 'WaitingForBootstrapDeletion', 'Waiting for KubeadmConfig to be deleted')],
  ['node-deletion', core('Deleting', 'DeletingNode', '')],
  ['deletion-internal-error', core('Deleting', 'InternalError', 'Please check controller logs for errors')],
  [
    'machine-api-drain',
    openshift(
      null,
      'could not drain machine: unable to get node "w-1": i/o timeout',
      'AWSMachineProviderConfig',
      'Drained',
    ),
  ],

  [
    'in-place-hook-failed',
    core('Updating', 'InPlaceUpdateFailed', 'UpdateMachine hook failed: please check controller logs for errors'),
  ],
  ['in-place-not-called', core('NotCalled', null, '')],
  [
    'in-place-no-infrastructure',
    core('Updating', 'InPlaceUpdateFailed', 'In-place update not possible: InfraMachine not found'),
  ],
  ['in-place-failed', core('Updating', 'InPlaceUpdateFailed', 'something that a later version says')],
  [
    'health-startup-timeout',
    core(
      'HealthCheckSucceeded',
      'NodeStartupTimeout',
      'Health check failed:\n  * Node failed to report startup in 10m0s',
    ),
    'its node did not join within 10m0s',
  ],
  ['health-startup-timeout-reason', core('HealthCheckSucceeded', 'NodeStartupTimeout', '')],
  [
    'health-unhealthy-node',
    core(
      'HealthCheckSucceeded',
      'UnhealthyNode',
      'Health check failed:\n  * Condition Ready on Node is reporting status Unknown with reason NodeStatusUnknown for more than 5m0s',
    ),
    'its node’s condition Ready has been Unknown for more than 5m0s',
  ],
  [
    'health-unhealthy-machine',
    core(
      'HealthCheckSucceeded',
      'UnhealthyMachine',
      'Health check failed:\n  * Condition NodeReady on Machine is reporting status False with reason NodeNotReady for more than 10m0s',
    ),
  ],
  [
    'health-marked',
    core(
      'HealthCheckSucceeded',
      'HasRemediateAnnotation',
      'Health check failed: marked for remediation via cluster.x-k8s.io/remediate-machine annotation',
    ),
  ],
  [
    'remediation-one-replica',
    core(
      'OwnerRemediated',
      'CannotBeRemediated',
      "KubeadmControlPlane can't remediate if current replicas are less or equal to 1",
    ),
  ],
  [
    'remediation-quorum',
    core(
      'OwnerRemediated',
      'CannotBeRemediated',
      "KubeadmControlPlane can't remediate this Machine because this could result in loosing Kubernetes control plane components or in etcd quorum loss",
    ),
  ],
  [
    'remediation-etcd-unchecked',
    core('OwnerRemediated', 'InternalError', 'Failed to check etcd cluster health before remediation'),
  ],
  [
    'remediation-others-first',
    core(
      'OwnerRemediated',
      'RemediationDeferred',
      'KubeadmControlPlane waiting for control plane Machine deletion to complete before triggering remediation',
    ),
  ],
  [
    'remediation-retry-period',
    core(
      'OwnerRemediated',
      'RemediationDeferred',
      "KubeadmControlPlane can't remediate this machine because the operation already failed in the latest 20m0s (RetryPeriodSeconds)",
    ),
  ],
  [
    'remediation-max-retry',
    core(
      'OwnerRemediated',
      'CannotBeRemediated',
      "KubeadmControlPlane can't remediate this machine because the operation already failed 5 times (MaxRetry)",
    ),
    'its remediation failed 5 times and is given up',
  ],
  [
    'remediation-upgrade-pending',
    core(
      'OwnerRemediated',
      'RemediationDeferred',
      "KubeadmControlPlane can't remediate while waiting for a version upgrade to v1.35.0 to be propagated from Cluster.spec.topology",
    ),
  ],
  [
    'remediation-in-flight',
    core(
      'OwnerRemediated',
      'RemediationDeferred',
      'Waiting because there are already too many remediations in progress (spec.strategy.remediation.maxInFlight is 20%)',
    ),
    'its remediation waits for others (maxInFlight is 20%)',
  ],
  [
    'remediation-rollout',
    core(
      'OwnerRemediated',
      'CannotBeRemediated',
      "Machine won't be remediated because it is pending removal due to rollout",
    ),
  ],
  ['remediation-waiting', core('OwnerRemediated', 'WaitingForRemediation', 'Waiting for remediation')],
  [
    'remediation-template',
    core(
      'ExternallyRemediated',
      'RemediationTemplateNotFound',
      'Error retrieving remediation template Metal3RemediationTemplate fleet/reboot',
    ),
  ],
]
