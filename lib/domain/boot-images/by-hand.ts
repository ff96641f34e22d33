/** How the image of machine sets is replaced by hand on one platform. */
export interface ByHand {
  /** Where the release's own image is found, within the ConfigMap's stream: architectures.<arch>.<this> */
  artifact: string | null
  /** Where a machine set names its image, within spec.template.spec.providerSpec.value; null: it has no say. */
  field: string | null
  /** What to do, in order. */
  steps: string[]
}

const STREAM = 'ConfigMap openshift-machine-config-operator/coreos-bootimages, key stream'

const point = (field: string, what: string): string =>
  `Point ${field} of each machine set to ${what}. Machines that are there keep running; only new ones start from it.`
const LAST = 'Make one machine of each set anew, see it join, then acknowledge the version here.'

function uploaded(artifact: string, where: string, field: string): ByHand {
  return {
    artifact,
    field,
    steps: [
      `Take location and sha256 of ${artifact} from the ${STREAM}.`,
      `Download it, compare its sum, and upload it ${where}.`,
      point(field, 'the new image'),
      LAST,
    ],
  }
}
function named(artifact: string, field: string): ByHand {
  return {
    artifact,
    field,
    steps: [`Take the image of ${artifact} from the ${STREAM}.`, point(field, 'it'), LAST],
  }
}

const NO_SETS: ByHand = {
  artifact: 'artifacts.metal.formats.iso.disk',
  field: null,
  steps: [
    `Take location and sha256 of artifacts.metal.formats.iso.disk from the ${STREAM}.`,
    'Start every node that is added from now on from that image. Nodes that are there need nothing.',
    'Throw older copies away where your provisioning keeps them, then acknowledge the version here.',
  ],
}

/** Whatever the platform is called: where the image is found, and what is to be done with it. */
const OTHER: ByHand = {
  artifact: null,
  field: null,
  steps: [
    `Find the release’s own image for the platform in the ${STREAM}, and bring it to where new machines start from.`,
    'Where machine sets name an image, point each of them to the new one. Machines that are there keep running; only new ones start from it.',
    'Make one machine anew, see it join, then acknowledge the version here.',
  ],
}

/** By platformStatus.type, also as Drydock calls it where the type does not tell (Azure Stack Hub). */
const RECIPES: Readonly<Record<string, ByHand>> = {
  AWS: named('images.aws.regions.<region>.image', 'ami.id'),
  GCP: named('images.gcp (project and name)', 'disks[].image of the boot disk'),
  Azure: named('rhel-coreos-extensions.marketplace.azure (no-purchase-plan, hyperVGen2 or hyperVGen1)', 'image'),
  VSphere: uploaded(
    'artifacts.vmware.formats.ova.disk',
    'to vCenter as a template, in each failure domain',
    'template',
  ),
  'Azure Stack Hub': uploaded(
    'artifacts.azurestack.formats.vhd.gz.disk',
    'to a storage account of the hub, and make an image of it',
    'image.resourceID',
  ),
  OpenStack: uploaded('artifacts.openstack.formats.qcow2.gz.disk', 'to the image service, unpacked', 'image'),
  Nutanix: uploaded('artifacts.nutanix.formats.qcow2.disk', 'to Prism Central as an image', 'image'),
  IBMCloud: uploaded(
    'artifacts.ibmcloud.formats.qcow2.gz.disk',
    'to object storage, and import it as a custom image of the VPC',
    'image',
  ),
  PowerVS: uploaded('images.powervs.regions.<region>', 'to the workspace as a boot image', 'image'),
  KubeVirt: named('images.kubevirt.digest-ref', 'the boot volume'),
  BareMetal: {
    artifact: null,
    field: null,
    steps: [
      'Machines start from an image that is part of the release, as long as Provisioning/provisioning-configuration has no provisioningOSDownloadURL and their machine set names no image of its own (image.url).',
      'Where a set names one, have it start from the release’s own instead: customDeploy with the method install_coreos, and no image.',
      'Where Provisioning names one, clear it, so that the release’s own image is used, then acknowledge the version here.',
    ],
  },
  None: NO_SETS,
  External: NO_SETS,
}

/** What a person has to do where the operator does nothing; undefined: the platform is not known. */
export const byHand = (platform: string | null): ByHand | undefined =>
  platform ? (Object.hasOwn(RECIPES, platform) ? RECIPES[platform] : OTHER) : undefined
