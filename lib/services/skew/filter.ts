import { IMAGE_WORDS } from '@/lib/domain/boot-images/image-words'
import { MANAGED_MODES, MANAGED_WORDS } from '@/lib/domain/boot-images/managed/managing'
import { CONFIDENCES, CONFIDENCE_WORDS } from '@/lib/domain/skew/confidence'
import { NODE_RISKS, NODE_RISK_WORDS } from '@/lib/domain/skew/node-risk'
import { PLATFORM_WORDS } from '@/lib/domain/skew/platform-words'
import { SKEW_VERDICTS } from '@/lib/domain/skew/verdict'
import { parseBy, toggledBy, type Filter, type Grammar } from '../filter-grammar'

const IMAGE_STATES = ['below', 'current', 'outdated', 'newer', 'custom', 'excluded', 'unknown'] as const
/** Values by the words that pages show for them. */
const shownOf = <V extends string>(values: readonly V[], words: Readonly<Record<string, string>>): Record<string, V> =>
  Object.fromEntries(values.map((value) => [words[value]!.replaceAll(' ', '-'), value]))
const IMAGE_SHOWN = shownOf(IMAGE_STATES, IMAGE_WORDS)
/** As their rows say them, and as their type is spelt in small letters. */
const PLATFORMS_SHOWN = Object.fromEntries(
  Object.entries(PLATFORM_WORDS).flatMap(([type, words]) => [
    [words.toLowerCase().replaceAll(' ', '-'), type],
    [type.toLowerCase(), type],
  ]),
)
const YES_NO = ['yes', 'no'] as const

/** What the list of clusters can be filtered by. */
const CLUSTER_KEYS = {
  cluster: 'management cluster',
  verdict: 'verdict',
  mode: 'Automatic, Manual, None or unavailable',
  platform: 'platform',
  version: 'OpenShift version, also <4.22 and >=4.22',
  nodes: 'whether new machines may fail to join',
  managed: 'which machine sets the operator keeps current',
  sets: 'has a machine set whose image is below the floor, current, outdated, newer, custom, excluded or unknown',
  sure: 'how well the evidence supports what is recorded',
  review: 'due, dated or none; nothing, where nothing that was decided here stands',
  flagged: 'yes or no: the evidence speaks against what was acknowledged',
  failing: 'yes or no: the operator’s last pass over the machine sets failed',
  updates: 'open or closed, as the cluster itself says',
} as const
export type ClusterKey = keyof typeof CLUSTER_KEYS

const CLUSTER_GRAMMAR: Grammar<ClusterKey> = {
  keys: CLUSTER_KEYS,
  vocabulary: {
    verdict: SKEW_VERDICTS,
    mode: ['automatic', 'manual', 'none', 'unavailable'],
    nodes: NODE_RISKS,
    managed: MANAGED_MODES,
    sets: IMAGE_STATES,
    sure: CONFIDENCES,
    review: ['due', 'dated', 'none', 'nothing'],
    flagged: YES_NO,
    failing: YES_NO,
    updates: ['open', 'closed'],
  },
  shown: {
    verdict: {
      ...{ 'in-range': 'ok', 'below-the-floor': 'out-of-skew', 'being-evaluated': 'evaluating' },
      ...{ 'no-limit-here': 'unsupported-release', 'not-known': 'unknown' },
    },
    nodes: shownOf(NODE_RISKS, NODE_RISK_WORDS),
    managed: shownOf(MANAGED_MODES, MANAGED_WORDS),
    sets: IMAGE_SHOWN,
    sure: shownOf(CONFIDENCES, CONFIDENCE_WORDS),
    platform: PLATFORMS_SHOWN,
  },
  elsewhere: { verdict: { 'updates-closed': 'updates:closed' } },
  versions: ['version'],
  example: 'version:<4.22',
}

/** What the list of machine sets can be filtered by. */
const SET_KEYS = {
  cluster: 'management cluster',
  state: 'below the floor, current, outdated, newer, custom, excluded or unknown',
  outcome: 'what the operator does with it',
  managed: 'yes or no: the operator keeps its image current',
  platform: 'platform',
  arch: 'architecture',
  kind: 'workers or control-plane',
  image: 'current or wanted image',
  dated: 'yes or no: something tells how old its image is',
  marketplace: 'yes or no',
  error: 'yes or no: its machines cannot be made',
  version: 'OpenShift version of its cluster, also <4.22 and >=4.22',
} as const
export type SetKey = keyof typeof SET_KEYS

const SET_GRAMMAR: Grammar<SetKey> = {
  keys: SET_KEYS,
  vocabulary: {
    state: IMAGE_STATES,
    outcome: ['unchanged', 'update', 'ignore', 'skip', 'error', 'crash', 'undecided', 'not-known', 'not-managed'],
    managed: YES_NO,
    arch: ['x86_64', 'aarch64', 'ppc64le', 's390x'],
    kind: ['workers', 'control-plane'],
    dated: YES_NO,
    marketplace: YES_NO,
    error: YES_NO,
  },
  shown: { state: IMAGE_SHOWN, platform: PLATFORMS_SHOWN },
  versions: ['version'],
  example: 'version:<4.22',
}

const NODE_VERDICTS = ['below', 'outdated', 'unknown', 'newer', 'current'] as const

/** What the list of images that nodes started from can be filtered by. */
const NODE_KEYS = {
  cluster: 'management cluster',
  verdict: 'below the floor, outdated, unknown, newer or current',
  image: 'boot image',
  set: 'machine set',
  platform: 'platform',
  kind: 'workers, control-plane or no-machine',
  stuck: 'yes or no: a machine of it does not join',
  dated: 'yes or no: something tells how old the image is',
  version: 'OpenShift version of its cluster, also <4.22 and >=4.22',
} as const
export type NodeKey = keyof typeof NODE_KEYS

const NODE_GRAMMAR: Grammar<NodeKey> = {
  keys: NODE_KEYS,
  vocabulary: {
    verdict: NODE_VERDICTS,
    kind: ['workers', 'control-plane', 'no-machine'],
    stuck: YES_NO,
    dated: YES_NO,
  },
  shown: { verdict: IMAGE_SHOWN, platform: PLATFORMS_SHOWN },
  versions: ['version'],
  example: 'version:<4.22',
}

export const parseNodeFilter = (text: string): Filter<NodeKey> => parseBy(NODE_GRAMMAR, text)
export const toggledNode = (text: string, key: NodeKey, value: string): string =>
  toggledBy(NODE_GRAMMAR, text, key, value)
export const parseClusterFilter = (text: string): Filter<ClusterKey> => parseBy(CLUSTER_GRAMMAR, text)
export const parseSetFilter = (text: string): Filter<SetKey> => parseBy(SET_GRAMMAR, text)
export const toggledCluster = (text: string, key: ClusterKey, value: string): string =>
  toggledBy(CLUSTER_GRAMMAR, text, key, value)
export const toggledSet = (text: string, key: SetKey, value: string): string => toggledBy(SET_GRAMMAR, text, key, value)
