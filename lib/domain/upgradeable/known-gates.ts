import { MANAGED_SECRET } from '../boot-images/user-data'
import type { Managers } from '../skew/types'
import { minorOf } from '../skew/version'
import { managersPatch, noManagersPatch } from './patches'
import type { Remedy } from './types'

interface KnownGate {
  name: string
  setBy: string
  /** What it is about, and what follows where it is acknowledged and nothing else is done. */
  sentence: string
  /** When its operator takes it back by itself. */
  until: string
  /** Platforms on which an explicit choice in MachineConfiguration takes it back. */
  byChoice?: readonly string[]
  /** The list with nothing in it is how this release is told to manage none: its API knows no mode None. */
  emptyList?: boolean
}

/**
 * Gates that the Machine Config Operator sets and takes back by itself (openshift/machine-config-operator, admin_ack.go of releases
 * 4.18, 4.20 and 4.21).
 */
const KNOWN: readonly KnownGate[] = [
  {
    name: 'ack-4.18-boot-image-opt-out-in-4.19',
    setBy: 'machine-config',
    sentence:
      'From 4.19 on, boot images of machine sets on AWS and GCP are updated by the operator unless that is switched off. Acknowledging agrees to that.',
    until: 'as soon as MachineConfiguration/cluster says anything about managed boot images',
    byChoice: ['AWS', 'GCP'],
    emptyList: true,
  },
  {
    name: 'ack-4.18-aarch64-bootloader-4.19',
    setBy: 'machine-config',
    sentence:
      'Old boot images on arm64 do not start the boot loader of 4.19: machines made from them would not come up. Acknowledging changes nothing about the images.',
    until: 'when no node is arm64 any more',
  },
  {
    name: 'ack-4.20-sigstore-in-4.21',
    setBy: 'machine-config',
    sentence:
      'From 4.21 on, release images need Sigstore signatures. Mirrors have to carry them before the update, or nodes cannot pull.',
    until: 'when no mirror is configured for release images',
  },
  {
    name: 'ack-4.21-boot-image-opt-out-in-4.22',
    setBy: 'machine-config',
    sentence:
      'From 4.22 on, boot images of machine sets on Azure and vSphere are updated by the operator unless that is switched off. Acknowledging agrees to that.',
    until: 'as soon as MachineConfiguration/cluster has an entry for machine sets',
    byChoice: ['Azure', 'VSphere'],
  },
]

export const knownGate = (name: string): KnownGate | undefined => KNOWN.find((gate) => gate.name === name)

/** The gate that a release's operator keeps up for as long as nothing is said of machine sets; null: none, or it is said. */
export function gateOfChoice(version: string | null, platform: string, managers: Managers): string | null {
  const minor = minorOf(version ?? '')
  const gate = KNOWN.find(
    ({ name, byChoice }) => minor && name.startsWith(`ack-${minor}-`) && byChoice?.includes(platform),
  )
  const said = gate?.emptyList ? managers !== undefined : managers?.some(({ resource }) => resource === 'machinesets')
  return gate && !said ? gate.name : null
}

/** What a raw patch does not show, of an operator that replaces secrets: the sheet names the sets. */
const REPLACES = `This operator also has each of those sets start with ${MANAGED_SECRET} instead of its own user data secret, whatever is in that.`

/** What else than acknowledging can be done about a known gate; `bootImages`: where managed machine sets are chosen. */
export function gateRemedies(name: string, managers: Managers, bootImages: string): Remedy[] {
  const known = knownGate(name)
  if (!known) return []
  const itself: Remedy = { sentence: `Its operator takes the gate back by itself ${known.until}.` }
  if (!known.byChoice) return [itself]
  return [
    itself,
    {
      sentence: 'Choose which machine sets are managed, and see before what becomes of each:',
      link: { label: 'Choose managed machine sets', href: `${bootImages}#managed` },
    },
    {
      sentence: `Or by hand, have the boot images managed, in so many words${known.emptyList ? `. ${REPLACES}` : ':'}`,
      patch: managersPatch(managers, 'All'),
    },
    {
      sentence: 'Or keep them from being managed:',
      patch: known.emptyList ? noManagersPatch() : managersPatch(managers, 'None'),
    },
  ]
}
