import { azure, gcp, stack, vsphere, metal3, openshift, daemon, arm, type Example } from './facts'

export const OTHER_EXAMPLES: readonly Example[] = [
  [
    'azure-quota',
    arm(
      'OperationNotAllowed',
      'Operation could not be completed as it results in exceeding approved standardDSv5Family Cores quota. Additional details - Deployment Model: Resource Manager, Location: westeurope, Current Limit: 100',
    ),
    'the subscription’s quota of standardDSv5Family cores is reached',
  ],
  [
    'azure-quota',
    arm(
      'OperationNotAllowed',
      'Operation could not be completed as it results in exceeding approved Total Regional Cores quota.',
    ),
  ],
  [
    'azure-not-allowed',
    arm('OperationNotAllowed', 'The server rejected the request because too many requests have been received.'),
  ],
  [
    'azure-sku',
    arm(
      'SkuNotAvailable',
      "The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: Standard_D4s_v5' is currently not available in location 'westeurope'.",
    ),
  ],
  [
    'azure-sku-unknown',
    azure(
      'InvalidConfiguration',
      "Failure detected from referenced resource …: resource sku with name 'Standard_D99' and category 'virtualMachines' not found in location 'westeurope'",
      'Failure',
    ),
    'there is no VM size Standard_D99 in westeurope',
  ],
  [
    'azure-allocation-zonal',
    arm(
      'ZonalAllocationFailed',
      'Allocation failed. We do not have sufficient capacity for the requested VM size in this zone.',
    ),
  ],
  [
    'azure-allocation',
    arm(
      'AllocationFailed',
      'Allocation failed. Please try reducing the VM size or number of VMs, retry later, or try deploying to a different Availability Set or different Azure location.',
    ),
  ],
  ['azure-image', arm('PlatformImageNotFound', "The platform image 'cncf-upstream:capi:ubuntu:1.0' is not available.")],
  [
    'azure-plan',
    arm('MarketplacePurchaseEligibilityFailed', 'Marketplace purchase eligibility check returned errors.'),
  ],
  [
    'azure-authorization',
    arm('AuthorizationFailed', 'The client with object id does not have authorization to perform action'),
  ],
  [
    'azure-subnet-full',
    arm(
      'SubnetIsFull',
      'Subnet nodes with address prefix 10.0.0.0/28 does not have enough capacity for 1 IP addresses.',
    ),
  ],
  [
    'azure-vm-deleted',
    azure('UpdateError', 'VM with provider id "azure:///subscriptions/x/vm-1" has been deleted', 'Failure'),
  ],
  ['azure-identity', azure('UnsupportedChange', 'VM identities are not ready', 'Failure')],
  ['azure-failed', arm('InternalOperationError', 'An internal execution error occurred.')],
  [
    'gcp-exhausted',
    gcp(
      null,
      "The zone 'projects/p/zones/europe-west4-a' does not have enough resources available to fulfill the request. Try a different zone, or try again later.",
      'Failure',
    ),
  ],
  [
    'gcp-exhausted',
    openshift(
      'CreateError',
      'error launching instance: ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS',
      'GCPMachineProviderSpec',
    ),
  ],
  [
    'gcp-quota',
    openshift(
      'CreateError',
      "googleapi: Error 403: Quota 'CPUS' exceeded. Limit: 24.0 in region us-central1., quotaExceeded",
      'GCPMachineProviderSpec',
    ),
    'the project’s quota CPUS is reached',
  ],
  [
    'gcp-state',
    gcp(
      'UpdateError',
      'Failure detected from referenced resource …: GCPMachine instance state TERMINATED is unexpected',
      'Failure',
    ),
    'its instance is TERMINATED',
  ],
  ['openstack-no-host', stack('InstanceStateError', 'No valid host was found. There are not enough hosts available.')],
  [
    'openstack-quota',
    stack(
      'InstanceCreateFailed',
      'Expected HTTP response code [200 202] but got 403: {"forbidden": {"code": 403, "message": "Quota exceeded for cores: Requested 8, but already used 96 of 100 cores"}}',
    ),
  ],
  [
    'openstack-spec',
    stack(
      'InvalidMachineSpec',
      'no network configured: cluster network is missing and machine spec does not define ports with a network',
    ),
  ],
  ['openstack-dependency', stack('DependencyFailed', 'Image fleet/flatcar failed: not found')],
  ['openstack-error-state', stack('InstanceStateError', 'Instance is in ERROR state')],
  ['openstack-state-reason', stack('InstanceStateError', 'Exceeded maximum number of retries.')],
  ['openstack-create-failed', stack('InstanceCreateFailed', 'Bad request with: [POST …]')],

  [
    'vsphere-template',
    vsphere(
      'CloningFailed',
      'unable to find template by name "ubuntu-2404-kube-v1.36.0": vm \'ubuntu-2404-kube-v1.36.0\' not found',
    ),
    'the template ubuntu-2404-kube-v1.36.0 is not found in vCenter',
  ],
  [
    'vsphere-template',
    openshift('InvalidConfiguration', 'template not found, specify valid value', 'VSphereMachineProviderSpec'),
  ],
  [
    'vsphere-space',
    vsphere('TaskFailure', "Insufficient disk space on datastore 'vsanDatastore'."),
    'the datastore vsanDatastore is full',
  ],
  ['vsphere-no-datastore', vsphere('CloningFailed', 'no compatible datastores found for storage policy: gold')],
  [
    'vsphere-placement',
    vsphere('CloningFailed', 'unable to get resource pool for "fleet/w-1": resource pool \'prod\' not found'),
  ],
  ['vsphere-static-ip', vsphere('WaitingForStaticIPAllocation', '')],
  ['vsphere-ip', vsphere('WaitingForIPAllocation', '')],
  ['ip-invalid', vsphere('IPAddressInvalid', 'invalid gateway')],
  ['vsphere-power', vsphere('PoweringOnFailed', '')],
  ['vsphere-gone', vsphere('NotFoundByBIOSUUID', '')],
  ['vsphere-task', vsphere('TaskFailure', 'A general system error occurred')],
  ['vcenter-unreachable', vsphere('VCenterUnreachable', 'Post "https://vc/sdk": dial tcp: i/o timeout')],
  ['metal3-no-host', metal3('AssociateBMHFailed', 'no available host found. Requeuing')],
  [
    'metal3-image',
    metal3('AssociateBMHFailed', 'Metal3Machine w-1 has neither Image.URL nor CustomDeploy.Method configured'),
  ],
  [
    'metal3-provisioning',
    metal3('NotReady', 'Image provisioning failed: Deploy step deploy.write_image failed on node'),
  ],
  ['metal3-missing-host', metal3('MissingBMH', '')],
  ['metal3-data', metal3('WaitingForMetal3Data', '')],
  ['metal3-associate', metal3('AssociateBMHFailed', 'hosts.metal3.io is forbidden')],

  ['machine-api-instance-gone', openshift(null, "can't find created instance")],
  ['machine-api-insufficient', openshift('InsufficientResources', 'no room', 'NutanixMachineProviderConfig')],
  ['machine-api-invalid', openshift('InvalidConfiguration', 'error launching instance: Invalid value for parameter')],
  ['machine-api-create', openshift('CreateError', 'no such flavor', 'OpenstackProviderSpec')],
  ['machine-api-update', openshift('UpdateError', 'failed to register with the load balancer')],
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
