/** How the image of machine sets is replaced by hand on one platform. */
export interface ByHand {
  /** Where the release's own image is found within the ConfigMap's stream, as jq takes it; what stands in angle brackets is to be chosen. */
  artifact: string | null
  /** What is to be taken of it; empty: the value itself. */
  take: readonly string[]
  /** Where a machine set names its image, within spec.template.spec.providerSpec.value; null: it has no say. */
  field: string | null
  /** What to do, in order. */
  steps: string[]
}

const THEN = ', then acknowledge the version here.'
const STREAM = 'ConfigMap openshift-machine-config-operator/coreos-bootimages, key stream'
const ARCH = '<arch> is that of the machines: x86_64, aarch64, ppc64le or s390x.'

const KEEP = 'Machines that are there keep running; only new ones start from it.'
const point = (field: string, what: string): string => `Point ${field} of each machine set to ${what}. ${KEEP}`
const LAST = `Make one machine of each set anew, see it join${THEN}`

const listed = (fields: readonly string[]): string => fields.join(', ').replace(/, ([^,]+)$/, ' and $1')
const takes = (artifact: string, take: readonly string[]): string =>
  [
    `Take ${take.length > 0 ? `${listed(take)} of ${artifact}` : artifact} from the ${STREAM}.`,
    artifact.includes('<arch>') ? ARCH : '',
  ]
    .join(' ')
    .trim()

const FILE = ['location', 'sha256'] as const

/** A file, by the name that the stream has for the platform. */
const file = (platform: string, format: string): string =>
  `architectures.<arch>.artifacts.${platform}.formats${format.includes('.') ? `["${format}"]` : `.${format}`}.disk`

function uploaded(artifact: string, where: string, field: string): ByHand {
  return {
    ...{ artifact, take: FILE, field },
    steps: [
      takes(artifact, FILE),
      `Download it, compare its sum, and upload it ${where}.`,
      point(field, 'the new image'),
      LAST,
    ],
  }
}
const named = (artifact: string, take: readonly string[], field: string, what: string): ByHand => ({
  ...{ artifact, take, field },
  steps: [takes(artifact, take), point(field, what), LAST],
})

const METAL = file('metal', 'iso')
const NO_SETS: ByHand = {
  ...{ artifact: METAL, take: FILE, field: null },
  steps: [
    takes(METAL, FILE),
    'Start every node that is added from now on from that image. Nodes that are there need nothing.',
    `Throw older copies away where your provisioning keeps them${THEN}`,
  ],
}

const AZURE = 'architectures.<arch>["rhel-coreos-extensions"].marketplace.azure["<plan>"].hyperVGen2'
const AZURE_IMAGE = ['publisher', 'offer', 'sku', 'version'] as const

/** The file is in a bucket of the region already, without a sum. */
const POWER = 'architectures.ppc64le.images.powervs.regions["<region>"]'
const POWER_IMAGE = ['bucket', 'object', 'url'] as const

/** Whatever the platform is called: where the image is found, and what is to be done with it. */
const OTHER: ByHand = {
  ...{ artifact: null, take: [], field: null },
  steps: [
    `Find the release’s own image for the platform in the ${STREAM}, under architectures.<arch>, and bring it to where new machines start from. ${ARCH}`,
    'Where machine sets name an image, point each of them to the new one. Machines that are there keep running; only new ones start from it.',
    `Make one machine anew, see it join${THEN}`,
  ],
}

/** By platformStatus.type, also as Drydock calls it where the type does not tell (Azure Stack Hub). */
const RECIPES: Readonly<Record<string, ByHand>> = {
  AWS: named('architectures.<arch>.images.aws.regions["<region>"]', ['image'], 'ami.id', 'it'),
  GCP: named(
    'architectures.<arch>.images.gcp',
    ['project', 'name'],
    'disks[].image of the boot disk',
    'projects/<project>/global/images/<name>',
  ),
  Azure: {
    ...{ artifact: AZURE, take: AZURE_IMAGE, field: 'image' },
    steps: [
      takes(AZURE, AZURE_IMAGE),
      '<plan> is no-purchase-plan where the set’s publisher is azureopenshift, or its image an uploaded one. Where the publisher is redhat it is that of its offer: ocp for rh-ocp-worker, opp for rh-opp-worker, oke for rh-oke-worker; where it is redhat-limited, the same with -emea behind it (ocp-emea). For aarch64 there is no-purchase-plan alone.',
      'For machines of the first generation it is hyperVGen1 instead.',
      point('image', 'those four, with resourceID empty and type MarketplaceNoPlan, or MarketplaceWithPlan where the plan is another'), // prettier-ignore
      LAST,
    ],
  },
  VSphere: uploaded(file('vmware', 'ova'), 'to vCenter as a template, in each failure domain', 'template'),
  'Azure Stack Hub': uploaded(
    file('azurestack', 'vhd.gz'),
    'to a storage account of the hub, unpacked, and make an image of it',
    'image.resourceID',
  ),
  OpenStack: uploaded(file('openstack', 'qcow2.gz'), 'to the image service, unpacked', 'image'),
  Nutanix: uploaded(file('nutanix', 'qcow2'), 'to Prism Central as an image', 'image'),
  IBMCloud: uploaded(
    file('ibmcloud', 'qcow2.gz'),
    'to object storage, unpacked, and import it as a custom image of the VPC',
    'image',
  ),
  PowerVS: {
    ...{ artifact: POWER, take: POWER_IMAGE, field: 'image' },
    steps: [
      takes(POWER, POWER_IMAGE),
      'Import that object from its bucket into the workspace as a boot image, or what url leads to.',
      point('image', 'the new image'),
      LAST,
    ],
  },
  KubeVirt: named('architectures.<arch>.images.kubevirt["digest-ref"]', [], 'the boot volume', 'it'),
  BareMetal: {
    ...{ artifact: null, take: [], field: null },
    steps: [
      'Machines start from an image that is part of the release, as long as Provisioning/provisioning-configuration has no provisioningOSDownloadURL and their machine set names no image of its own (image.url).',
      'Where a set names one, have it start from the release’s own instead: customDeploy with the method install_coreos, and no image.',
      `Where Provisioning names one, clear it, so that the release’s own image is used${THEN}`,
    ],
  },
  None: NO_SETS,
  External: NO_SETS,
}

/** Whether a change of its image alone has the machines replaced is up to the release of its operator. */
const PLANE_KEEP =
  'With the strategy RollingUpdate its operator may replace the control plane’s machines one by one upon that; with OnDelete they stay until they are deleted.'
const PLANE_LAST = 'The record is not by the control plane’s set: nothing is to be acknowledged for it.'

/** The same where the operator leaves nothing alone but the control plane's set. */
export const forPlane = ({ steps, ...recipe }: ByHand): ByHand => ({
  ...recipe,
  steps: steps
    .filter((step) => step !== LAST)
    .map((step) => step.replace('each machine set', 'the control plane’s set').replace(KEEP, PLANE_KEEP))
    .concat(PLANE_LAST),
})

/** What a person has to do where the operator does nothing; undefined: the platform is not known. `acts`: a version can be acknowledged. */
export function byHand(platform: string | null, acts = true): ByHand | undefined {
  const recipe = platform ? (Object.hasOwn(RECIPES, platform) ? RECIPES[platform]! : OTHER) : undefined
  return recipe && !acts ? { ...recipe, steps: recipe.steps.map((step) => step.replace(THEN, '.')) } : recipe
}
