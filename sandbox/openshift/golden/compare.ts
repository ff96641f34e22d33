import { errorsBySet } from '../../../lib/domain/boot-images/errors'
import { merged } from '../../../lib/domain/boot-images/merge'
import { DEGRADED, PROGRESSING } from '../../../lib/domain/boot-images/pass'
import { bootImageState } from '../../../lib/domain/boot-images/state'
import type { BootImage, Cause } from '../../../lib/domain/boot-images/types'
import { stubOf } from '../../../lib/domain/boot-images/user-data'
import type { Json, JsonObject } from '../../../lib/domain/json'
import { items, text } from '../../../lib/providers/openshift/loose'
import type { BootImageRow, Decided, PlayedPass } from './boot-images'
import { differs, type Difference, type Exception, type Played } from './table'
import { causeOfError, skipOf } from './words'

/** Where Drydock says something else than the operator, and why. */
export const NAMES_CRASH: Exception = {
  name: 'names what stops the controller',
  reason: 'The operator’s process ends and leaves no word anywhere; Drydock says which set it ends at, and why.',
}
export const ONLY_CLOUD: Exception = {
  name: 'only the cloud knows',
  reason: 'Drydock asks neither AWS nor vCenter: it says that it cannot tell, and goes by the operator’s counts.',
}
export const NOT_READ: Exception = {
  name: 'not for Drydock to read',
  reason: 'It is in a Secret or in the cloud, which Drydock does not read: it tells what the objects say.',
}

const DECISIONS: Record<BootImage['outcome'], string> = {
  unchanged: 'unchanged',
  update: 'updated',
  ignore: 'ignored',
  skip: 'skipped',
  error: 'error',
  crash: 'crash',
  undecided: 'undecided',
  'not-known': 'undecided',
}

/** The first place where a pass by our rules parts from the table; what Drydock itself shows is looked at last. */
export function compareRow(row: BootImageRow, pass: PlayedPass): Played {
  const { out } = row
  const id = row.id
  const decision = decisionOf(row, pass)
  const theirs = out.decision
  // To leave alone what has no part in Infrastructure is both: left by a rule, and nothing to change.
  const either = pass.sets[0]?.image.cause === 'no-platform-part' && theirs === 'unchanged'
  const found =
    (either ? undefined : differs(theirs, decision, 'decision')) ??
    why(row, pass) ??
    patched(row, pass) ??
    differs([...(out.ec2 ?? [])].sort(), [...pass.asked].sort(), 'ec2') ??
    (pass.end === 'crash' ? noMore(out) : numbers(row, pass))
  return found ? { id, difference: found, exceptions: [] } : { id, ...shown(pass) }
}

/** Only told of rows with one machine set alone. */
function decisionOf({ in: given }: BootImageRow, { end, sets }: PlayedPass): string | undefined {
  if (end === 'crash') return end
  if (given.machineSets.length !== 1 || given.controlPlaneMachineSet) return undefined
  if (end !== 'done') return end
  return sets[0] ? DECISIONS[sets[0].image.outcome] : 'not-enrolled'
}

/** After a crash there is nobody to count, to record and to say anything. */
const noMore = ({ counts, recorded, progressing, degraded }: BootImageRow['out']): Difference | undefined =>
  differs({ counts, recorded, progressing, degraded }, {}, 'after the crash')

const strict = (value: Json): Json => {
  if (value === null) return '(null)'
  if (Array.isArray(value)) return value.map(strict)
  return typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, strict(item)]))
    : value
}

const isUpdate = ({ image }: Decided): boolean => image.outcome === 'update'
const keyOf = ({ set }: Decided): string =>
  `${set.kind === 'MachineSet' ? 'machinesets' : 'controlplanemachinesets'}/${set.name}`

function patched({ out }: BootImageRow, pass: PlayedPass): Difference | undefined {
  const updates = [...pass.planes, ...pass.sets].filter(isUpdate)
  const images = out.images ?? {}
  const keys = (object: JsonObject) => Object.keys(object).sort()
  const set = differs(keys(images), updates.map(keyOf).sort(), 'images')
  if (set) return set
  for (const update of updates) {
    const [key, table] = [keyOf(update), images[keyOf(update)]]
    const parts = imageParts(update, pass.context.platform)
    const same = parts.some((part) => !differs(table, part))
    if (!same) return differs(table, parts[0], `images.${key}`)
  }
  const patches = Object.fromEntries(updates.map((update) => [keyOf(update), patchOf(update)]))
  // A pass that ends in a crash patched what came before, and the table does not tell of it.
  return (
    (pass.end === 'crash' && !out.patches
      ? undefined
      : differs(strict(out.patches ?? {}), strict(patches), 'patches')) ??
    differs(out.secretUpdated?.name, rewrittenStub(updates, pass), 'secretUpdated.name')
  )
}

/** Image part of a provider spec after its patch. Disks that are no boot disks have images, too, and may be told or not. */
function imageParts({ set, image }: Decided, platform: string | undefined): JsonObject[] {
  const spec = merged(set.providerSpec ?? {}, image.patch ?? {})
  if (platform === 'AWS') return [{ ami: spec.ami ?? null }]
  if (platform === 'Azure') return [{ image: spec.image ?? null }]
  if (platform === 'VSphere') return [{ template: spec.template ?? null }]
  const disks = items(spec, 'disks')
  const images = (list: JsonObject[]): JsonObject => ({ disks: list.map((disk) => disk.image ?? null) })
  return [images(disks.filter((disk) => disk.boot === true)), images(disks)]
}

function patchOf({ set, image }: Decided): JsonObject {
  const spec = { spec: { providerSpec: { value: image.patch ?? {} } } }
  return {
    spec: { template: set.kind === 'MachineSet' ? spec : { machines_v1beta1_machine_openshift_io: spec } },
  }
}

function rewrittenStub(updates: Decided[], { context }: PlayedPass): string | undefined {
  const names = updates.map(({ set }) => text(set.providerSpec, 'userDataSecret', 'name') ?? '')
  return names.find((name) => stubOf(JSON.parse(context.data?.(name)?.userData ?? '{}') as JsonObject) === 'rewritten')
}

/** The operator's reason for each set that it fails at or leaves alone, against ours. */
function why({ out }: BootImageRow, pass: PlayedPass): Difference | undefined {
  if (pass.end === 'crash') return undefined
  const reason = out.reason ?? ''
  if (pass.refused !== undefined) {
    const kind = (words: string) => /selector|config map|not ready/.exec(words)?.[0]
    return differs(kind(reason), kind(pass.refused), 'reason')
  }
  const errors = errorsBySet(reason)
  // The reason is what the condition says, and a list of foreign conditions never gets it.
  const told = pass.conditions?.some((c) => c.type === DEGRADED) ?? false
  const failing = pass.sets.filter(({ image }) => told && image.outcome === 'error')
  const causes = (entries: [string, Cause][]) => Object.fromEntries(entries)
  return (
    differs(
      causes([...errors].map(([name, words]) => [name, causeOfError(words)])),
      causes(failing.map(({ set, image }) => [set.name, image.cause])),
      'reason',
    ) ?? left(out.log ?? [], pass)
  )
}

/** Some skips are logged in words that the table does not collect. */
const UNTOLD: Cause[] = ['no-marketplace-image', 'no-platform-part']

function left(log: readonly string[], pass: PlayedPass): Difference | undefined {
  const told = new Map(log.flatMap((line) => skipOf(line) ?? []).map(({ set, cause }) => [set, cause]))
  const all = [...pass.planes, ...pass.sets]
  for (const { set, image } of all) {
    const alone = image.outcome === 'skip' || image.outcome === 'ignore'
    if (alone && UNTOLD.includes(image.cause) && !told.has(set.name)) continue
    const found = differs(told.get(set.name), alone ? image.cause : undefined, `log of ${set.name}`)
    if (found) return found
  }
  const stranger = [...told.keys()].find((name) => !all.some(({ set }) => set.name === name))
  return stranger === undefined ? undefined : differs(told.get(stranger), undefined, `log of ${stranger}`)
}

function numbers({ out }: BootImageRow, pass: PlayedPass): Difference | undefined {
  const { sets } = pass.stats
  const counts = {
    errored: sets.errored,
    reconciled: sets.done - sets.skipped,
    skipped: sets.skipped,
    total: sets.total,
  }
  const theirs = text(out.recorded, 'rhcosVersion')
  const recorded = theirs && pass.alike.includes(theirs) ? { ...pass.recorded, rhcosVersion: theirs } : pass.recorded
  return (
    differs(out.counts, counts, 'counts') ??
    differs(out.recorded, recorded, 'recorded') ??
    condition(out.progressing, PROGRESSING, 'progressing', pass) ??
    condition(out.degraded, DEGRADED, 'degraded', pass)
  )
}

/** Status and numbers; the words of errors are compared by their causes. */
function condition(table: JsonObject | undefined, type: string, at: string, pass: PlayedPass): Difference | undefined {
  const own = pass.conditions?.find((c) => c.type === type)
  const words = (c: JsonObject | undefined) =>
    c && { status: c.status ?? null, message: (text(c, 'message') ?? '').split(' | Error(s): ')[0] as string }
  return differs(words(table), words(own), at)
}

/** Causes that rest on what Drydock does not read. */
const UNREAD: Cause[] = ['credentials', 'user-data', 'cloud', 'template', 'download', 'workspace']

/** What Drydock shows without Secrets and without the cloud is what the operator decided, or it says that it cannot tell. */
function shown(pass: PlayedPass): Pick<Played, 'difference' | 'exceptions'> {
  const { data: _, cloud: __, ...context } = pass.context
  const exceptions = new Set<Exception>()
  for (const { set, image } of [...pass.planes, ...pass.sets]) {
    const own = bootImageState(set, context)
    if (image.outcome === 'crash') exceptions.add(NAMES_CRASH)
    if (own.outcome === image.outcome) continue
    if (DECISIONS[own.outcome] === 'undecided') exceptions.add(ONLY_CLOUD)
    else if (UNREAD.includes(image.cause)) exceptions.add(NOT_READ)
    else {
      const difference = differs(DECISIONS[image.outcome], DECISIONS[own.outcome], `what is shown of ${set.name}`)
      return { difference, exceptions: [] }
    }
  }
  return { exceptions: [...exceptions] }
}
