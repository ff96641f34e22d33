import { aws, openshift, created, ec2, type Example } from './facts'

export const CLOUDS_EXAMPLES: readonly Example[] = [
  [
    'aws-no-capacity',
    ec2(
      'InsufficientInstanceCapacity',
      'We currently do not have sufficient m5.2xlarge capacity in the Availability Zone you requested (eu-west-1a). Our system will be working on provisioning additional capacity.',
    ),
    'EC2 has no m5.2xlarge capacity in eu-west-1a now',
  ],
  [
    'aws-no-capacity',
    created(
      'error creating EC2 instance: InsufficientInstanceCapacity: We currently do not have sufficient m5.2xlarge capacity in the Availability Zone you requested (eu-west-1a).\n\tstatus code: 500, request id: 4b2c0a0e',
    ),
    'EC2 has no m5.2xlarge capacity in eu-west-1a now',
  ],
  [
    'aws-host-capacity',
    ec2(
      'InsufficientCapacityOnHost',
      'Dedicated host h-04cd has insufficient capacity to launch the instances in this request.',
    ),
  ],
  [
    'aws-vcpu-limit',
    ec2(
      'VcpuLimitExceeded',
      'You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket that the specified instance type belongs to.',
    ),
  ],
  [
    'aws-vcpu-limit',
    openshift(
      'InvalidConfiguration',
      'error launching instance: You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket',
    ),
    'the account’s vCPU limit 32 is reached',
  ],
  ['aws-instance-limit', ec2('InstanceLimitExceeded', 'You have requested more instances than allowed.')],
  ['aws-volume-limit', ec2('VolumeLimitExceeded', 'The maximum storage is reached.')],
  [
    'aws-unauthorized',
    ec2(
      'UnauthorizedOperation',
      'You are not authorized to perform this operation. Encoded authorization failure message: abcdef',
    ),
  ],
  ['aws-credentials', ec2('AuthFailure', 'AWS was not able to validate the provided access credentials')],
  [
    'aws-ami-not-found',
    ec2('InvalidAMIID.NotFound', "The image id '[ami-0123]' does not exist"),
    'the image ami-0123 does not exist',
  ],
  [
    'aws-ami-lookup',
    aws(
      'InstanceProvisionFailed',
      'failed to create AWSMachine instance: failed to find ami: found no AMIs with name "capa-ami-ubuntu-24.04-v1.36.0-*", architecture "x86_64", ownerID "819546954734"',
    ),
  ],
  [
    'aws-ami-undefined',
    aws(
      'CreateError',
      'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta2, Kind=AWSMachine with name "w": Either AWSMachine\'s spec.ami.id or Machine\'s spec.version must be defined',
      'Failure',
    ),
  ],
  ['aws-throttled', ec2('RequestLimitExceeded', 'Request limit exceeded.')],
  [
    'aws-subnet-full',
    ec2(
      'InsufficientFreeAddressesInSubnet',
      "There are not enough free addresses in subnet 'subnet-0abc' to satisfy the requested number of instances.",
    ),
    'the subnet subnet-0abc has no free addresses',
  ],
  [
    'aws-subnet-missing',
    aws(
      'InstanceProvisionFailed',
      'failed to run machine "w-1", no subnets available in availability zone "eu-west-1c"',
    ),
  ],
  [
    'aws-security-group',
    openshift('InvalidConfiguration', 'error getting security groups IDs: no security group found'),
  ],
  [
    'aws-unsupported',
    ec2(
      'Unsupported',
      'Your requested instance type (p5.48xlarge) is not supported in your requested Availability Zone (eu-west-1b). Please retry your request by not specifying an Availability Zone.',
    ),
    'EC2 does not offer p5.48xlarge in eu-west-1b',
  ],
  [
    'aws-spot',
    ec2(
      'SpotMaxPriceTooLow',
      'Your Spot request price of 0.01 is lower than the minimum required Spot request fulfillment price of 0.05.',
    ),
  ],
  [
    'aws-terminated',
    aws(
      'UpdateError',
      'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta2, Kind=AWSMachine with name "w": EC2 instance state "terminated" is unexpected',
      'Failure',
    ),
  ],
  ['aws-terminated-reason', aws('InstanceTerminated', '')],
  ['aws-stopped', aws('InstanceStopped', '')],
  ['aws-provision-failed', ec2('InvalidParameterCombination', 'The parameter X cannot be used with Y')],
]
