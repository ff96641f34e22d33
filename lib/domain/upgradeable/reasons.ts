import { operatorConfig } from './patches'
import type { Remedy } from './types'

export interface Explained {
  /** What it means, for people. */
  sentence: string
  remedies: Remedy[]
}

export interface OperatorReason {
  operator: string
  reason: string
  message: string
  /** The next minor version, "4.23"; null where the version cannot be read. */
  next: string | null
}

interface Known {
  /** Of which operator; absent: of any. */
  operator?: string
  /** Reasons come with the name of the part that says so in front: "FeatureGates_RestrictedFeatureGates_TechPreviewNoUpgrade". */
  reason: RegExp
  explain(of: OperatorReason): Explained
}

const plain = (sentence: string, ...remedies: (string | Remedy)[]) => ({
  sentence,
  remedies: remedies.map((r) => (typeof r === 'string' ? { sentence: r } : r)),
})

/** Why ClusterOperators say that they are not to be upgraded, as far as their own code tells what to do. */
const KNOWN: readonly Known[] = [
  {
    operator: 'machine-config',
    reason: /^DegradedPool$/,
    explain: () =>
      plain(
        'A pool of machines is degraded: nodes cannot take up their configuration or fetch pinned images, or a newer configuration cannot be rendered or its OS image built. It hides what else the Machine Config Operator may have against updates.',
        'Repair the pool. Its page, or the conditions of the MachineConfigPool and its nodes, name what failed.',
      ),
  },
  {
    operator: 'machine-config',
    reason: /^InterruptedBuild$/,
    explain: () =>
      plain(
        'The build of a pool’s operating system image was interrupted.',
        'Have it built anew: `oc annotate machineosconfigs/NAME machineconfiguration.openshift.io/rebuild=`, with the name of the pool’s MachineOSConfig.',
      ),
  },
  {
    reason: /(^|_)RestrictedFeatureGates_/,
    explain: () =>
      plain(
        'The cluster has a feature set that does not allow updates to another minor version.',
        'There is no way back: this feature set cannot be taken away again. A cluster that is to be updated has to be installed without it.',
      ),
  },
  {
    operator: 'kube-apiserver',
    reason: /(^|_)Kubelet(Minor)?Version(UnsupportedNextUpgrade|Unsupported|Ahead)$/,
    explain: () =>
      plain(
        'Nodes run a kubelet that is too old for the release to come, most often because their pool is paused.',
        'Let these nodes be updated first: resume their pool, and wait until it is updated.',
      ),
  },
  {
    reason: /(^|_)UnsupportedConfigOverridesSet$/,
    explain: ({ operator }) => {
      const patch = operatorConfig(operator, { spec: { unsupportedConfigOverrides: null } })
      return plain(
        'Somebody set options of this operator that are not supported, and that the next release may not know.',
        {
          sentence: 'Take them away, once you know what they were set for:',
          ...(patch && { patch }),
        },
      )
    },
  },
  {
    operator: 'cloud-credential',
    reason: /^MissingUpgradeableAnnotation$/,
    explain: ({ next }) => {
      const annotations = { 'cloudcredential.openshift.io/upgradeable-to': next ?? '' }
      const patch = operatorConfig('cloud-credential', { metadata: { annotations } })
      return plain(
        'Credentials for the cloud are made by hand here, and nobody has said yet that those of the next release are in place.',
        'Make the credentials that the CredentialsRequests of the next release ask for.',
        { sentence: 'Then say so:', ...(next && patch && { patch }) },
      )
    },
  },
  {
    operator: 'cloud-credential',
    reason: /^MissingRootCredential$/,
    explain: () =>
      plain(
        'The secret with the cloud’s root credentials is gone, and the operator needs it to make credentials for the next release.',
        'Put the secret back for the time of the update.',
      ),
  },
  {
    reason: /(^|_)IncompatibleOperatorsInstalled$/,
    explain: () =>
      plain(
        'Installed operators say that they do not run on the next minor version.',
        'Update each that is named to a version that does, or remove it.',
      ),
  },
  {
    operator: 'ingress',
    reason: /^IngressControllersNotUpgradeable$/,
    explain: () =>
      plain(
        'An ingress controller is not ready for the next minor version.',
        'What is to be changed stands in its words; most often a certificate without the names that are needed.',
      ),
  },
]

/** A known reason in words; undefined: its operator's own words are all there is. */
export const explainReason = (of: OperatorReason): Explained | undefined =>
  KNOWN.find((k) => (!k.operator || k.operator === of.operator) && k.reason.test(of.reason))?.explain(of)
