import { summaryOf, versionsOf } from '../changes/summary'
import type { ChangeSet, FieldChange, Outcome, Outlook, RevisionPair } from '../changes/types'
import type { ConfigChange, ConfigDiff } from './config-diff'
import { effectOf, type DisruptionPolicies } from './effect'

/** What a pool is to go through, as a change that somebody decides on. */
export interface PoolStep {
  pool: string
  /** Rendered configs, and the releases that they were made for. */
  from: { name: string; release: string | null }
  to: { name: string; release: string | null }
  /** Nodes of the pool, and those of them that have not the config. */
  machines: number
  outdated: number
  /** How many may be out of work at once; null: not to be read. */
  atOnce: number | null
  /** Its OS image is built for it: which one; null: it is not there yet. Absent: it is the release's, or that is not known. */
  built?: string | null
  /** Nodes have another OS image than they are to have; `name` null: than that of the release. */
  image?: { known: true; name: string | null } | { known: false }
}

const OS_IMAGE = 'OS image'
const RELEASED = 'that of the release'

/** Which image nodes have now stands on each of them. */
export function imageField({ image }: PoolStep): FieldChange[] {
  if (!image) return []
  const desired = image.known ? (image.name ?? RELEASED) : 'an image that Drydock may not read'
  return [{ object: 'bootstrap', path: OS_IMAGE, desired }]
}

/** The fields of a config as a change has them. What is secret was masked when they were compared. */
export function poolFields({ from, to }: Pick<PoolStep, 'from' | 'to'>, { changes }: ConfigDiff): FieldChange[] {
  const release: FieldChange[] =
    from.release === to.release
      ? []
      : [
          {
            ...{ object: 'machine', path: 'version' },
            ...(from.release === null ? {} : { current: from.release }),
            ...(to.release === null ? {} : { desired: to.release }),
          },
        ]
  return [...release, ...changes.map(fieldOf)]
}

function fieldOf(change: ConfigChange): FieldChange {
  const { part, name, kind, lines, note } = change
  const field: FieldChange = {
    object: 'bootstrap',
    path: part === 'file' || part === 'value' ? name : `${part} ${name}`,
  }
  const side = (sign: '+' | '-'): string =>
    (lines ?? []).flatMap((line) => (line.sign === sign ? [line.text] : [])).join('\n')
  const there = { current: kind !== 'added', desired: kind !== 'removed' }
  const shown = (which: 'current' | 'desired'): string =>
    change[which] ?? (lines ? side(which === 'current' ? '-' : '+') : (note ?? name))
  return {
    ...field,
    ...(there.current ? { current: shown('current') } : {}),
    ...(there.desired ? { desired: shown('desired') } : {}),
    // Of what is not shown nobody can say that it is the same elsewhere.
    ...(note !== null ? { secret: true } : {}),
  }
}

const BUILT_LATER =
  'The OS image of this pool is built for each configuration: one that is built later waits for an approval of its own.'

function whatOf({ from, to, image }: PoolStep): string {
  if (!image) return to.name
  const which = image.known ? (image.name ?? RELEASED) : 'that Drydock may not read'
  return from.name === to.name ? `the OS image ${which}` : `${to.name} with the OS image ${which}`
}

const nodes = (count: number): string => `${count} ${count === 1 ? 'node' : 'nodes'}`

/** They may change until then, and are no part of what is approved. */
const effectNow = (diff: ConfigDiff, policies: DisruptionPolicies | null): string =>
  policies ? `${effectOf(diff.changes, policies)} That is by the node disruption policies of now.` : diff.effect

/** Whether and how nodes are taken out of work for it; null: nothing of it is known. */
export function poolOutlook(step: PoolStep, diff: ConfigDiff | null, policies: DisruptionPolicies | null): Outlook {
  const { pool, machines, outdated, atOnce, to } = step
  const settled = machines - outdated
  const counts = {
    ...(outdated > 0 ? { 'in-place': outdated } : {}),
    ...(settled > 0 ? { 'up-to-date': settled } : {}),
  }
  const many = outdated > 1 && atOnce !== null ? `, at most ${atOnce} at once` : ''
  const alone = step.image !== undefined && step.from.name === to.name
  const effect = alone
    ? ' A node that takes it up is drained and rebooted.'
    : diff
      ? ` ${effectNow(diff, policies)}`
      : ''
  // It is built for each config anew, and rolls out by itself when it is there (canLayeredContinue in node_controller.go).
  const later = step.built === undefined || alone ? '' : ` ${BUILT_LATER}`
  const headline =
    outdated === 0
      ? `No node of ${pool} has to take up ${to.name} now; whichever joins gets it.`
      : `${nodes(outdated)} of ${pool} would take up ${whatOf(step)}${many}.${effect}${later}`
  const inPlace: Outcome = { counts, created: 0, deleted: 0, headline }
  const nothing = settled + outdated > 0 ? { 'up-to-date': settled + outdated } : {}
  const replace: Outcome = {
    ...{ counts: nothing, created: 0, deleted: 0 },
    headline: 'A configuration replaces no node.',
  }
  return { only: 'in-place', inPlace, replace, uncovered: [] }
}

/** With one pair: all nodes of a pool come to the same config, wherever each of them is. */
export const poolChangeSet = (pair: RevisionPair): ChangeSet => ({ pairs: [pair], fields: pair.changes })

/** "4.21.14 → 4.22.4, 2 more fields", "config: /etc/motd" */
export function poolSummary(pair: RevisionPair): string {
  const { changes } = pair
  if (pair.unread) return 'a configuration that cannot be read'
  const [only] = changes
  if (versionsOf(changes).to !== null) return summaryOf(poolChangeSet(pair))
  if (changes.length === 1 && only!.path === OS_IMAGE) return 'another OS image'
  return changes.length === 1 ? `config: ${only!.path}` : `${changes.length} fields of its config`
}
