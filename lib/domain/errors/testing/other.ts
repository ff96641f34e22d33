import { azure, gcp, stack, vsphere, metal3, openshift, created, summed, arm, type Example } from './facts'

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
    arm('OperationNotAllowed', 'The maximum number of data disks allowed to be attached to a VM of this size is 4.'),
  ],
  [
    'azure-sku',
    arm(
      'SkuNotAvailable',
      "The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: Standard_D4s_v5' is currently not available in location 'westeurope'. Please try another size or deploy to a different location or different zone.",
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
    'azure-allocation-zonal',
    arm(
      'OverconstrainedZonalAllocationRequest',
      'Allocation failed. VM(s) with the following constraints cannot be allocated, because the condition is too restrictive.',
    ),
  ],
  [
    'azure-allocation',
    arm(
      'OverconstrainedAllocationRequest',
      'Allocation failed. VM(s) with the following constraints cannot be allocated, because the condition is too restrictive.',
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
  ['azure-plan', arm('MarketplacePurchaseEligibilityFailed', 'Marketplace purchase eligibilty check returned errors.')],
  [
    'azure-plan',
    arm(
      'VMMarketplaceInvalidInput',
      'Creating a virtual machine from Marketplace image requires Plan information in the request.',
    ),
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
    created(
      "failed to create instance via compute service: googleapi: Error 503: The zone 'projects/p/zones/europe-west4-a' does not have enough resources available to fulfill the request.  Try a different zone, or try again later.",
      'GCPMachineProviderSpec',
      'MachineCreated',
    ),
  ],
  [
    'gcp-quota',
    openshift(
      'InvalidConfiguration',
      "error launching instance: googleapi: Error 403: Quota 'CPUS' exceeded.  Limit: 24.0 in region us-central1., quotaExceeded",
      'GCPMachineProviderSpec',
    ),
    'the project’s quota CPUS is reached',
  ],
  [
    'gcp-quota',
    openshift(
      'InvalidConfiguration',
      'Quota exceeded. Metric: NVIDIA_T4_GPUS. Usage: 4. Limit: 4.',
      'GCPMachineProviderSpec',
    ),
    'the project’s quota NVIDIA_T4_GPUS is reached',
  ],
  [
    'gcp-machine-type',
    openshift(
      'InvalidConfiguration',
      'MachineType a2-highgpu-1g is not available in the zone europe-west9-a.',
      'GCPMachineProviderSpec',
    ),
    'there is no a2-highgpu-1g in the zone europe-west9-a',
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
  [
    'openstack-quota',
    stack(
      'InstanceStateError',
      'error creating Openstack instance: Expected HTTP response code [200 202] when accessing [POST https://nova.example/v2.1/servers], but got 403 instead: {"forbidden": {"code": 403, "message": "Quota exceeded for cores: Requested 8, but already used 96 of 100 cores"}}',
    ),
  ],
  [
    'openstack-quota',
    stack(
      'PortCreateFailed',
      'Expected HTTP response code [201 202] when accessing [POST https://neutron.example/v2.0/ports], but got 409 instead: {"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: [\'port\'].", "detail": ""}}',
    ),
  ],
  [
    'openstack-dependency',
    stack(
      'DependencyFailed',
      'Failed to resolve server spec: no images were found with the given image filter: name=flatcar-4230, tags=[]',
    ),
  ],
  ['openstack-dependency', stack('DependencyFailed', 'Image fleet/flatcar failed: not found')],
  ['openstack-error-state', stack('InstanceStateError', 'Instance is in ERROR state')],
  [
    'openstack-error-state',
    stack(
      'UpdateError',
      'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta1, Kind=OpenStackMachine with name "w-1": instance state "ERROR" is unexpected',
      'Failure',
    ),
  ],
  ['openstack-deleted', stack('InstanceDeleted', 'The server was unexpectedly deleted')],
  ['openstack-deleted', stack('InstanceNotFound', 'The server was unexpectedly deleted')],
  [
    'openstack-port',
    stack(
      'PortCreateFailed',
      'Expected HTTP response code [201 202] when accessing [POST https://neutron.example/v2.0/ports], but got 404 instead: {"NeutronError": {"type": "NetworkNotFound", "message": "Network 0c1 could not be found."}}',
    ),
  ],
  ['openstack-building', stack('InstanceNotReady', 'Instance is building')],
  [
    'openstack-create-failed',
    stack(
      'InstanceStateError',
      'error creating Openstack instance: Expected HTTP response code [200 202] when accessing [POST https://nova.example/v2.1/servers], but got 400 instead: {"badRequest": {"code": 400, "message": "Block Device Mapping is Invalid."}}',
    ),
  ],
  ['openstack-create-failed', stack('InstanceStateError', '')],

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
  [
    'vsphere-space',
    created("Insufficient disk space on datastore 'nfs-2'.", 'VSphereMachineProviderSpec', 'MachineCreation'),
    'the datastore nfs-2 is full',
  ],
  ['vsphere-no-datastore', vsphere('CloningFailed', 'no compatible datastores found for storage policy: gold')],
  [
    'vsphere-no-datastore',
    openshift('InvalidConfiguration', 'datastore not found, specify valid value', 'VSphereMachineProviderSpec'),
  ],
  [
    'vsphere-placement',
    vsphere('CloningFailed', 'unable to get resource pool for "fleet/w-1": resource pool \'prod\' not found'),
  ],
  [
    'vsphere-placement',
    openshift('InvalidConfiguration', 'unable to get network for "VM Network"', 'VSphereMachineProviderSpec'),
  ],
  ['vsphere-static-ip', vsphere('WaitingForStaticIPAllocation', '')],
  ['vsphere-static-ip', summed('VSphereMachine', '* VirtualMachineProvisioned: WaitingForStaticIPAllocation')],
  ['vsphere-ip', vsphere('WaitingForIPAllocation', '')],
  ['vsphere-ip', summed('VSphereMachine', '* VirtualMachineProvisioned: WaitingForIPAllocation')],
  ['vsphere-ip-claims', vsphere('WaitingForIPAddress', '1/2 claims being processed')],
  ['vsphere-starting', summed('VSphereMachine', '* VirtualMachineProvisioned: PoweringOn')],
  ['ip-invalid', vsphere('IPAddressInvalid', 'invalid gateway')],
  ['vsphere-power', vsphere('PoweringOnFailed', 'ServerFaultCode: Permission to perform this operation was denied.')],
  [
    'vsphere-gone',
    summed(
      'VSphereMachine',
      '* VirtualMachineProvisioned: vm with bios uuid 4230a1c2-0d6b-7f0e-5f6c-93b1c8d1e7aa not found',
    ),
  ],
  ['vsphere-gone', vsphere('NotFoundByBIOSUUID', 'vm with bios uuid 4230a1c2-0d6b-7f0e-5f6c-93b1c8d1e7aa not found')],
  ['vsphere-task', vsphere('TaskFailure', 'A general system error occurred')],
  ['vsphere-task', summed('VSphereMachine', '* VirtualMachineProvisioned: TaskFailed')],
  ['vcenter-unreachable', vsphere('VCenterUnreachable', 'Post "https://vc/sdk": dial tcp: i/o timeout')],
  [
    'metal3-no-host',
    metal3('AssociateBMHFailed', 'no available host found. Requeuing. Object will be requeued after 30s'),
  ],
  [
    'metal3-no-host',
    summed(
      'Metal3Machine',
      '* AssociateBareMetalHost: failed to associate the Metal3Machine to a BareMetalHost: no available host found. Requeuing. Object will be requeued after 30s',
    ),
  ],
  [
    'metal3-image',
    metal3('AssociateBMHFailed', 'Metal3Machine w-1 has neither Image.URL nor CustomDeploy.Method configured'),
  ],
  [
    'metal3-missing-host',
    summed(
      'Metal3Machine',
      '* AssociateMetal3MachineMetaData: Failed to update the Metal3Machine: BareMetalHost not found for machine w-1. Object will be requeued after 30s',
    ),
  ],
  [
    'metal3-data',
    summed(
      'Metal3Machine',
      '* AssociateMetal3MachineMetaData: failed to update BareMetalHost: waiting for Metal3Data to become ready. Object will be requeued after 30s\n* Metal3DataReady: WaitingForMetal3Data',
    ),
  ],
  [
    'metal3-node',
    summed(
      'Metal3Machine',
      '* AssociateMetal3MachineMetaData: unable to find Node by hostname, it may not be ready yet: no nodes matching hostnames: w-1. Object will be requeued after 30s',
    ),
  ],
  [
    'metal3-associate',
    summed(
      'Metal3Machine',
      '* AssociateBareMetalHost: failed to associate the Metal3Machine to a BareMetalHost: hosts.metal3.io is forbidden',
    ),
  ],
  ['metal3-associate-reason', metal3('AssociateBMHFailed', 'hosts.metal3.io is forbidden')],
]
