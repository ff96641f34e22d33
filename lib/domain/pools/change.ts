import type { ChangeSet, FieldChange, Outcome, Outlook, RevisionPair } from '../changes/types'
import { storable } from '../text'
import type { ConfigChange, ConfigDiff } from './config-diff'
import { configWords, shortConfig } from './config-words'
import { effectOf, nodeEffect, type DisruptionPolicies, type NodeEffect } from './effect'

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
  /** The same as the pool says it: "2", "25%". */
  limit: string
  /** Its OS image is built for it: which one; null: it is not there yet. Absent: it is the release's, or that is not known. */
  built?: string | null
  /** Nodes have another OS image than they are to have; `name` null: than that of the release. */
  image?: { known: true; name: string | null } | { known: false }
}

const OS_IMAGE = 'OS image'

/** Which image nodes have now stands on each of them. */
export function imageField({ image }: PoolStep): FieldChange[] {
  if (!image) return []
  const desired = image.known ? (image.name ?? 'that of the release') : 'an image that Drydock may not read'
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

/** What nodes would take up, in an operator's terms. */
function whatOf({ from, to, image }: PoolStep, diff: ConfigDiff | null): string {
  const built = image && (image.known ? builtWords(image.name) : 'an OS image that Drydock may not read')
  if (built && from.name === to.name) return built
  const config = configWords(from, to, diff)
  return built ? `${config}, with ${built}` : config
}

const builtWords = (name: string | null): string =>
  `the OS image ${name === null ? 'of the release' : shortImage(name)}`

/** "quay.io/os@sha256:1a2b3c4d5e6f": nobody reads a whole digest, but from where it comes. */
const shortImage = (name: string): string => name.replace(/(@sha256:[0-9a-f]{12})[0-9a-f]+$/, '$1')

const nodes = (count: number): string => `${count} ${count === 1 ? 'node' : 'nodes'}`

/** They may change until then, and are no part of what is approved. */
const effectNow = (diff: ConfigDiff, policies: DisruptionPolicies | null): string =>
  policies ? `${effectOf(diff.changes, policies)} That is by the node disruption policies of now.` : diff.effect

/** Whether and how nodes are taken out of work for it; null: nothing of it is known. */
export function poolOutlook(step: PoolStep, diff: ConfigDiff | null, policies: DisruptionPolicies | null): Outlook {
  const { pool, machines, outdated, atOnce, limit, to } = step
  const settled = machines - outdated
  const counts = {
    ...(outdated > 0 ? { 'in-place': outdated } : {}),
    ...(settled > 0 ? { 'up-to-date': settled } : {}),
  }
  const many =
    outdated > 1 && atOnce !== null ? `, at most ${atOnce} at once${limit.endsWith('%') ? ` (${limit})` : ''}` : ''
  const alone = isImageAlone(step)
  const effect = alone
    ? ' A node that takes it up is drained and rebooted.'
    : diff
      ? ` ${effectNow(diff, policies)}`
      : ''
  // It is built for each config anew, and rolls out by itself when it is there (canLayeredContinue in node_controller.go).
  const later = step.built === undefined || alone ? '' : ` ${BUILT_LATER}`
  const headline =
    outdated === 0
      ? `No node of ${pool} has to take up ${whatOf(step, diff)} now. A machine that is made for it begins with that; a node that comes from another pool takes it up once it is approved.`
      : `${nodes(outdated)} of ${pool} would take up ${whatOf(step, diff)}${many}.${effect}${later}`
  const inPlace: Outcome = { counts, created: 0, deleted: 0, headline }
  const nothing = settled + outdated > 0 ? { 'up-to-date': settled + outdated } : {}
  const replace: Outcome = {
    ...{ counts: nothing, created: 0, deleted: 0 },
    headline: 'A configuration replaces no node.',
  }
  const image = step.image?.known ? { image: step.image.name } : {}
  const taken = { config: to.name, ...image, effect: effectOn(step, diff, policies), limit, machines }
  return { only: 'in-place', inPlace, replace, uncovered: [], pool: taken }
}

/** Held in the middle: nodes that have begun go on to their end whatever is decided, and what waits is the rest. */
export function restOf(outlook: Outlook, before: Outlook['before']): Outlook {
  const { inPlace, pool } = outlook
  const [begun, all] = [before?.underWay ?? 0, inPlace?.counts['in-place'] ?? 0]
  if (!pool || !inPlace || begun === 0 || begun >= all) return outlook
  const rest = inPlace.headline.replace(/^\d+ nodes of /, `${all - begun} of ${nodes(all)} of `)
  const go = begun === 1 ? '1 has begun, and goes on to its end.' : `${begun} have begun, and go on to their end.`
  return { ...outlook, inPlace: { ...inPlace, headline: `${rest} ${go}` } }
}

const isImageAlone = ({ image, from, to }: PoolStep): boolean => image !== undefined && from.name === to.name

/** An image is taken up by a reboot, whatever else a config brings. */
function effectOn(step: PoolStep, diff: ConfigDiff | null, policies: DisruptionPolicies | null): NodeEffect | null {
  if (step.image || isImageAlone(step)) return { does: 'reboot', sure: true }
  return diff && nodeEffect(diff.changes, policies)
}

/** With one pair: all nodes of a pool come to the same config, wherever each of them is. */
export const poolChangeSet = (pair: RevisionPair): ChangeSet => ({ pairs: [pair], fields: pair.changes })

export const ANOTHER_IMAGE = 'another OS image'

/** "OS image 4.21.14 → 4.22.4 and 2 files", "file /etc/motd" */
export function poolSummary(step: PoolStep, pair: RevisionPair, diff: ConfigDiff | null): string {
  if (pair.unread) return `${shortConfig(step.to.name)}, which cannot be read`
  if (isImageAlone(step)) return ANOTHER_IMAGE
  const words = storable(configWords(step.from, step.to, diff))
  return step.image ? `${words}, with another OS image` : words
}
