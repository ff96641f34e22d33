import {
  changesByName,
  masked,
  movesNow,
  outlookOf,
  shownTogether,
  verdictOf,
  type ChangeSet,
  type Coverage,
  type Outlook,
  type OutlookInput,
  type Revision,
  type RevisionPair,
  type ShownChange,
} from '@/lib/domain/changes'
import { needsSpare } from '@/lib/domain/changes/tally'
import { gatesFor, type Capabilities } from '@/lib/domain/capabilities'
import type { Verdict } from '@/lib/domain/verdict'
import { hasCome, type Compared, type GroupChange } from '@/lib/providers/cluster-api/changes'
import { keyedDigest } from '@/lib/seal'
import type { GateStatus } from '../gate/status'
import { covered, type Known } from '../updaters/coverage'
import { answeredOtherwise } from './answered'
import { inTurn } from './in-turn'
import { countsOf } from './machine-counts'
import { numbersOf } from './numbers-of'
import { withConfig } from './with-config'

export interface Planned {
  change: GroupChange
  changeSet: ChangeSet
  /** In few words, where the fields alone do not say it. */
  summary?: string
  outlook: Outlook
  /** By the pair's old revision. */
  verdicts: Map<string, { verdict: Verdict; reason: string }>
  machines: number
}

const MARKED =
  'It is what is wanted, and marked (cluster.x-k8s.io/delete-machine): Cluster API deletes marked machines first, and makes others in their place.'
/** What is only shown is compared with nothing. */
const noDigest = () => ''
const NOTHING: Revision = { machine: {} }

/** What the answer depends on besides the change itself. */
export interface Planning {
  clusterId: string
  capabilities: Capabilities
  /** Who may be asked, in their order. */
  updaters: readonly string[]
  /** Null: not registered. */
  gate: GateStatus | null
  /** What the updaters say about a pair, where that is known. Not asked about what nobody would be asked about. */
  look(compared: Compared): Promise<Known | null> | Known | null
}

/**
 * The desired state of a group with everything a person needs to decide on it, for changes that wait and for those that
 * are only planned. Values are masked from here on.
 */
export async function plannedOf(planning: Planning, change: GroupChange): Promise<Planned> {
  const { clusterId, look } = planning
  const { owner } = change
  const counts = await countsOf(clusterId, owner)
  const asked = { groupId: owner.uid, groupKind: owner.kind, pairs: change.pairs.map(({ pair }) => pair) }
  const impossible = impossibleFor(planning, owner.kind) ?? (await answeredOtherwise(asked, 'in-place')) ?? change.ill
  const coverage = new Map<string, Coverage>()
  const pairs: RevisionPair[] = []
  const shownOf: Pick<RevisionPair, 'from' | 'changes'>[] = []
  for (const compared of change.pairs) {
    const { lost } = compared.pair
    const pair: RevisionPair = {
      ...(lost && compares(planning, change, compared.pair) ? { missing: lost } : {}),
      ...compared.pair,
      machines: counts.staying(compared.pair),
    }
    const known = impossible || pair.certainReplace ? null : await look(compared)
    if (known) coverage.set(pair.from, known.coverage)
    const shown = known ? covered(pair, known.by) : pair
    const { changes, fingerprint } = shown
    const { sides } = compared
    const { current, desired } = sides ?? { current: NOTHING, desired: NOTHING }
    pairs.push({
      ...withConfig(shown, compared),
      changes: masked(changes, fingerprint, keyedDigest, sides),
    })
    shownOf.push({
      from: pair.from,
      changes: masked(changesByName(changes, current, desired), fingerprint, noDigest, sides),
    })
  }
  const input: OutlookInput = {
    ...(await numbersOf(change, pairs, counts, impossible)),
    ...{ coverage, updaters: planning.updaters },
  }
  const changeSet = { pairs, fields: [...shownTogether(shownOf), ...alwaysShown(change)] }
  const told = await inTurn(planning.clusterId, change, changeSet, input)
  return {
    ...{ change, changeSet },
    outlook: { ...outlookOf(told), ...dateOf(pairs), replicas: change.replicas, spareFirst: bringsSpare(change) },
    verdicts: new Map([
      ...(pairs.some(({ machines }) => machines > 0) ? (told.marked ?? []) : []).map(
        (name) => [name, { verdict: 'replace', reason: MARKED }] as const,
      ),
      ...told.pairs.map((pair) => [pair.from, verdictOf(pair, told)] as const),
    ]),
    machines: input.machines,
  }
}

/** Nothing of it moves before a date that lies ahead. */
function dateOf(pairs: readonly RevisionPair[]): { notBefore?: string } {
  const date = pairs[0]?.changes.find(({ path }) => path === 'rollout.after')?.desired
  return pairs.length > 0 && !pairs.some(movesNow) && typeof date === 'string' ? { notBefore: date } : {}
}

/** In place, and of machines that are all well. */
export const bringsSpare = ({ owner: { kind }, replicas, strategy }: GroupChange): boolean =>
  needsSpare({ group: { kind, replicas }, strategy })

const alwaysShown = ({ always = [] }: GroupChange): ShownChange[] =>
  masked(always, '', noDigest).map(({ digest: _, ...change }) => ({ ...change, always: true }))

/**
 * Whether Cluster API compares the templates of this pair before it does anything, and does nothing while it cannot
 * (machinedeployment_canupdatemachineset.go, getTemplateObjects): with the feature gate of its core manager on, by rolling
 * update, and where no passed rollout.after decides. Where the gate is not known, nothing is kept from anybody.
 */
function compares({ capabilities }: Planning, { owner, strategy }: GroupChange, pair: RevisionPair): boolean {
  const [inPlaceUpdates] = gatesFor(capabilities.gates, owner.kind)
  const after = pair.changes.find(({ path }) => path === 'rollout.after')?.desired
  const passed = typeof after === 'string' && hasCome(after)
  return inPlaceUpdates?.state === 'on' && strategy.type === 'RollingUpdate' && !passed
}

function impossibleFor({ capabilities, updaters, gate }: Planning, kind: string): string | undefined {
  const gates = gatesFor(capabilities.gates, kind)
  const off = gates.find(({ state }) => state === 'off')
  if (off) return `In-place updates are off in this management cluster: ${off.how.replace(/\.$/, '')}.`
  const unknown = gates.find(({ state }) => state === 'unknown')
  if (unknown) return `Whether in-place updates are on in this management cluster is not known: ${unknown.how}`
  if (!gate)
    return 'The update gate is not registered, so Cluster API cannot ask for in-place updates: an administrator registers it on the page Clusters.'
  if (gate.state !== 'ok') return `Cluster API does not ask the update gate: ${gate.sentence}`
  if (updaters.length === 0) return 'No updater is configured.'
  return undefined
}
