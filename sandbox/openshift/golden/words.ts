import type { Cause } from '../../../lib/domain/boot-images/types'

/** What the operator says of a set, by the place in its code that says it. Order matters: the first that fits. */
const ERRORS: [Cause, RegExp][] = [
  ['hot-loop', /hot loop/],
  ['bad-arch', /failed to fetch arch/],
  ['no-infrastructure', /failed to fetch infra/],
  ['bad-map', /CoreOS stream metadata/],
  ['bad-spec', /providerSpec field was empty|into providerSpec failed/],
  ['credentials', /failed to fetch (aws-cloud-credentials|vsphere-creds)|contains neither static/],
  ['workspace', /does not match any vCenter/],
  ['unknown-offer', /could not determine azure marketplace variant/],
  ['user-data', /user[- ]data|ignition/i],
  ['download', /failed to download|' disk not found/],
  ['template', /unable to determine RHCOS version|VM template name|disk provisioning type/],
  ['not-in-release', /does not have architecture|artifact '.*' not found|no aws artifact|RHCOS release string/],
  ['not-in-release', /no (Gen[12] )?Azure marketplace image/],
]

/** Words of AWS, vCenter and their libraries are endless: what nobody else says is theirs. */
export const causeOfError = (text: string): Cause => ERRORS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'cloud'

const SKIPS: [Cause, RegExp][] = [
  ['owner', /(\S+) has OwnerReference: /],
  ['stream', /(\S+) has unsupported stream: /],
  ['windows', /(\S+) has a windows os label/],
  ['no-arch', /No architecture annotation found on machineset (\S+) in multi-arch cluster/],
  ['platform', /Skipping (?:controlplane)?machineset ([^ ,]+), unsupported platform/],
  ['platform', /Skipping update for ([^ ,]+), .* with arch /],
  ['security-type', /Skipping update for ([^ ,]+), .* with a SecurityType /],
  ['by-search', /AMI\.ID is undefined, skipping update of MachineSet (\S+)/],
  ['not-in-release', /failed to get AMI for region .*, skipping update of MachineSet (\S+)/],
  ['not-in-release', /Skipping machineset ([^ ,]+), (?:Azure )?marketplace streams are not available/],
  ['foreign-image', /MachineSet ([^ :]+): AMI .* has unrecognised owner/],
  ['foreign-image', /current boot image .* is unknown, skipping update of MachineSet (\S+)/],
  ['no-marketplace-image', /no marketplace AMI found .* skipping update of MachineSet (\S+)/],
  ['no-marketplace-image', /MachineSet ([^ :]+): marketplace product .* only pre-/],
]

/** The set that a line of the controller's log is about, and why it leaves it alone; undefined: it is about something else. */
export function skipOf(line: string): { set: string; cause: Cause } | undefined {
  for (const [cause, pattern] of SKIPS) {
    const set = pattern.exec(line)?.[1]
    if (set !== undefined) return { set, cause }
  }
  return undefined
}
