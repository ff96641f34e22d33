import { failedSentence, failedSince } from '../boot-images/failed-pass'
import { MASK } from '../changes/telling'
import type { Offered } from '../skew/offered'
import type { Managers } from '../skew/types'
import { gateRemedies, knownGate } from './known-gates'
import { ackGatePatch, acknowledgePatch, overridesPatch } from './patches'
import { explainReason, type Explained } from './reasons'
import type { Blocker, Override, Remedy } from './types'

export interface ExplainWith {
  /** The next minor version, "4.23" */
  next: string | null
  overrides: readonly Override[]
  /** MachineConfiguration.spec.managedBootImages */
  managers: Managers
  /** What an acknowledgement would begin with; null: nothing, or what is recorded already. */
  bootImage: Offered | null
  /** Where the cluster's boot images are acted on. */
  bootImages: string
  /** What the Machine Config Operator says of its last pass over machine sets, where that failed. */
  passFailed?: string | null
}

/** What a blocker means and what can be done about it; where nobody knows, its operator's own words have to do. */
export function explain(blocker: Blocker, context: ExplainWith): Explained {
  if (blocker.said === 'no-longer') return noLonger(blocker, context)
  switch (blocker.source) {
    case 'operator':
      return operator(blocker, context)
    case 'gate':
      return gate(blocker, context)
    case 'gates':
      return missing(blocker.item)
    case 'overrides':
      return {
        sentence: `${overridden(context.overrides)} taken from the Cluster Version Operator, which then neither updates nor repairs ${one(context.overrides) ? 'it' : 'them'}.`,
        remedies: [{ sentence: 'Give everything back:', patch: overridesPatch(context.overrides) }],
      }
    case 'deletion':
      return {
        sentence: 'The Cluster Version Operator is still deleting objects that this release no longer has.',
        remedies: [{ sentence: 'Wait. Where it does not end, a finalizer keeps one of the named objects.' }],
      }
    case 'updating':
      return {
        sentence: 'An update is under way; another one to a further minor version can begin when it is complete.',
        remedies: [{ sentence: 'Wait until it is complete.' }],
      }
    case 'other':
      return {
        sentence: 'ClusterVersion gives this reason, and nothing that Drydock reads explains it.',
        remedies: [],
      }
  }
}

/** What is in the way no more need not be repaired: without Automatic a failing pass closes nothing, and fails all the same. */
function noLonger({ item, message }: Blocker, { passFailed, bootImages }: ExplainWith): Explained {
  const sentence =
    'This is no longer in the way. ClusterVersion says it until the Cluster Version Operator looks again, up to two minutes later.'
  if (!passFailed || item !== 'machine-config' || !PASS.test(message)) return { sentence, remedies: [] }
  return {
    sentence: `${sentence} It is not repaired: ${lowered(failedSentence(passFailed))} ${failedSince(passFailed)}`,
    remedies: [{ sentence: 'Repair what its words name.', link: { label: 'See boot images', href: bootImages } }],
  }
}

/** 4.22 writes it with a capital. */
const PASS = /boot image update failures/i
const lowered = (text: string): string => `${text[0]!.toLowerCase()}${text.slice(1)}`

const unmanaged = (overrides: readonly Override[]) => overrides.filter((o) => o.unmanaged)
const one = (overrides: readonly Override[]): boolean => unmanaged(overrides).length === 1

function overridden(overrides: readonly Override[]): string {
  const names = unmanaged(overrides).map((o) => `${o.kind} ${[o.namespace, o.name].filter(Boolean).join('/')}`)
  if (names.length <= 3) return `${names.join(', ') || 'An object'} ${names.length > 1 ? 'are' : 'is'}`
  return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more are`
}

function operator({ item, reason, message }: Blocker, context: ExplainWith): Explained {
  if (item === 'machine-config' && reason === 'ClusterBootImageSkewError') return skew(message, context)
  return (
    explainReason({ operator: item, reason, message, next: context.next }) ?? {
      sentence: `The operator ${item} says that it must not be taken to another minor version yet. What to do stands in its own words.`,
      remedies: [],
    }
  )
}

function skew(message: string, { bootImage, bootImages }: ExplainWith): Explained {
  const link = { label: 'See boot images', href: bootImages }
  if (PASS.test(message))
    return {
      sentence:
        'The operator could not update the boot image of a machine set, so it does not know how old the oldest one is.',
      remedies: [{ sentence: 'Repair what its words name, or say the oldest version yourself.', link }],
    }
  const acknowledge: Remedy[] = bootImage
    ? [
        {
          sentence:
            `If the oldest image in use is newer than recorded, acknowledge it. The evidence speaks for ${bootImage.version}. ${bootImage.why ?? ''}`.trim(),
          patch: acknowledgePatch(bootImage.versionKind, bootImage.version),
        },
      ]
    : []
  return {
    sentence: 'Machines may be started from a boot image that is older than this release accepts.',
    remedies: [
      { sentence: 'Update the boot images of the machine sets, acknowledge, or opt out.', link },
      ...acknowledge,
    ],
  }
}

/** The Cluster Version Operator's words about a gate itself, not the gate's. */
const BROKEN = /^admin-gates configmap gate /

function gate({ item, message }: Blocker, { managers, bootImages }: ExplainWith): Explained {
  if (BROKEN.test(message)) return broken(item)
  return {
    sentence: knownGate(item)?.sentence ?? 'An administrator has to confirm this before the update.',
    remedies: [...ack(item, message), ...gateRemedies(item, managers, bootImages)],
  }
}

/** None for a text of which nobody sees all. */
const ack = (item: string, text: string): Remedy[] =>
  text.includes(MASK)
    ? []
    : [{ sentence: 'Acknowledge it, once what it says is seen to:', patch: ackGatePatch(item), acknowledges: true }]

const broken = (item: string): Explained => ({
  sentence: `The gate ${item} is not one that can be acknowledged: its name or its text is not as the Cluster Version Operator wants them.`,
  remedies: [{ sentence: 'Whoever put it into openshift-config-managed/admin-gates has to mend it or take it away.' }],
})

const missing = (item: string): Explained => ({
  sentence: `The ConfigMap ${item} is missing, and without it the Cluster Version Operator lets nothing through.`,
  remedies: [{ sentence: 'It is part of the release: the Cluster Version Operator makes it again by itself.' }],
})
