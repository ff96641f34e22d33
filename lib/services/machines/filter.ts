import { MACHINE_STATES } from '@/lib/domain/rows'
import { VERDICTS } from '@/lib/domain/verdict'
import { parseBy, toggledBy, type Filter as AnyFilter, type Grammar, type Term as AnyTerm } from '../filter-grammar'

export { formatFilter, isOn } from '../filter-grammar'

/** Words that may stand before a colon, with what they filter. */
export const FILTER_KEYS = {
  cluster: 'management or workload cluster',
  group: 'MachineDeployment, control plane, pool or set',
  namespace: 'namespace',
  node: 'node',
  phase: 'phase',
  state: 'state',
  verdict: 'verdict',
  version: 'version, also <1.34 and >=1.33',
  image: 'boot image',
  zone: 'failure domain',
  role: 'control-plane or worker',
  error: 'yes or no',
} as const
export type FilterKey = keyof typeof FILTER_KEYS
/** Each word must be found in the name, the node or the error. */
export type Filter = AnyFilter<FilterKey>
export type Term = AnyTerm<FilterKey>

const GRAMMAR: Grammar<FilterKey> = {
  keys: FILTER_KEYS,
  vocabulary: {
    state: Object.keys(MACHINE_STATES),
    verdict: VERDICTS,
    role: ['control-plane', 'worker'],
    error: ['yes', 'no'],
  },
  synonyms: { role: ['control', 'controlplane', 'workers'], error: ['true', 'false', 'none'] },
  versions: ['version'],
  example: 'version:<1.34',
}

export const parseFilter = (text: string): Filter => parseBy(GRAMMAR, text)

export const toggled = (text: string, key: FilterKey, value: string): string => toggledBy(GRAMMAR, text, key, value)
