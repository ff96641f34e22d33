import { openshift, created, daemon, type Example } from './facts'

export const OPENSHIFT_EXAMPLES: readonly Example[] = [
  ['machine-api-instance-gone', openshift(null, "can't find created instance")],
  [
    'machine-api-no-host',
    openshift('InsufficientResources', 'No available BareMetalHost found', 'BareMetalMachineProviderSpec'),
  ],
  ['machine-api-insufficient', openshift('InsufficientResources', 'no room', 'NutanixMachineProviderConfig')],
  ['machine-api-invalid', openshift('InvalidConfiguration', 'error launching instance: Invalid value for parameter')],
  [
    'machine-api-terminated',
    openshift('InvalidConfiguration', 'Instance i-0abc is in a terminated state'),
    'its instance i-0abc was terminated right after it was made',
  ],
  [
    'machine-api-vm-failed',
    openshift('CreateError', "vm has unexpected 'Failed' provisioning state", 'AzureMachineProviderSpec'),
  ],
  ['machine-api-create', openshift('CreateError', 'no such flavor', 'OpenstackProviderSpec')],
  [
    'machine-api-creating-failed',
    created('error creating EC2 instance: InternalError: An internal error has occurred'),
  ],
  [
    'machine-api-creating-failed',
    created('failed to reconcile machine "w-1": timed out', 'AzureMachineProviderSpec', 'MachineCreated'),
  ],
  ['machine-api-mirrored', created('See AWSMachine conditions.')],
  [
    'machine-api-ip-claims',
    openshift(
      'WaitingForIPAddress',
      'Waiting on 2 IP address claims to be bound',
      'VSphereMachineProviderSpec',
      'IPAddressClaimed',
    ),
    'waiting for 2 addresses of its IP pool',
  ],
  ['machine-api-update', openshift('UpdateError', 'EC2 instance state "stopped" is unexpected')],
  [
    'machine-api-pre-drain-hook',
    openshift(
      'HookPresent',
      'Drain operation currently blocked by: [{Name:EtcdQuorumOperator Owner:clusteroperator/etcd}]',
      'AWSMachineProviderConfig',
      'Drainable',
    ),
    'waiting for the pre-drain hook EtcdQuorumOperator',
  ],
  [
    'machine-api-pre-terminate-hook',
    openshift(
      'HookPresent',
      'Terminate operation currently blocked by: [{Name:Backup Owner:backup-controller}]',
      'AWSMachineProviderConfig',
      'Terminable',
    ),
    'waiting for the pre-terminate hook Backup',
  ],
  [
    'machine-api-drain-turn',
    openshift(
      'DrainError',
      'could not drain machine: drain not permitted: requeue in: 20s',
      'AWSMachineProviderConfig',
      'Drained',
    ),
  ],
  ['machine-api-delete', openshift('DeleteError', 'instance is protected')],
  ['machine-api-unsupported', openshift('UnsupportedChange', '')],
  ['machine-api-join-timeout', openshift('JoinClusterTimeoutError', '')],
  [
    'machine-api-never-joined',
    openshift(null, 'Provisioned, without a node', 'AWSMachineProviderConfig', 'NeverJoined'),
  ],
  [
    'machine-api-instance-missing',
    openshift('InstanceMissing', 'Instance not found on provider', 'AWSMachineProviderConfig', 'InstanceExists'),
  ],
  [
    'machine-api-provider-unchecked',
    openshift(
      'ErrorCheckingProvider',
      'Failed to check if machine exists: i/o timeout',
      'AWSMachineProviderConfig',
      'InstanceExists',
    ),
  ],
  [
    'mco-file-content',
    daemon(
      'unexpected on-disk state validating against rendered-worker-0a1b: content mismatch for file "/etc/chrony.conf"',
    ),
    'the file /etc/chrony.conf is not as its MachineConfig has it',
  ],
  [
    'mco-file-mode',
    daemon(
      'unexpected on-disk state validating against rendered-worker-0a1b: mode mismatch for file: "/etc/chrony.conf"; expected: -rw-r--r--/420/0644; received: -rwxr-xr-x/493/0755',
    ),
  ],
  [
    'mco-unit',
    daemon(
      'unexpected on-disk state validating against rendered-worker-0a1b: unit "chronyd.service" expected enabled=true, but systemd reports "disabled"',
    ),
  ],
  [
    'mco-disk-state',
    daemon(
      'unexpected on-disk state validating against rendered-worker-0a1b: expected target osImageURL "a", have "b"',
    ),
  ],
  [
    'mco-drain',
    daemon('failed to drain node: w-1 after 1 hour. Please see machine-config-controller logs for more information'),
  ],
  [
    'mco-fips',
    daemon(
      "can't reconcile config rendered-worker-1 with rendered-worker-2: detected change to FIPS flag; refusing to modify FIPS on a running cluster",
      'Unreconcilable',
    ),
  ],
  [
    'mco-unreconcilable',
    daemon(
      "can't reconcile config rendered-worker-1 with rendered-worker-2: ignition disks section contains changes",
      'Unreconcilable',
    ),
  ],
  [
    'mco-os-image',
    daemon(
      'failed to update OS to quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:0a1b after retries: error running rpm-ostree rebase',
    ),
  ],
  ['mco-extensions', daemon('error pulling extensions image quay.io/x: exit status 125')],
  ['mco-reboot', daemon('reboot command failed, something is seriously wrong')],
  [
    'mco-kubelet-health',
    daemon('kubelet health check has failed 3 times: Get "http://localhost:10248/healthz": connection refused'),
  ],
  [
    'mco-bootstrap-mismatch',
    daemon('bootstrap generated MC rendered-master-1 does not match in-cluster MC generated by the controller'),
  ],
]
