import type { JsonObject } from '../../../lib/domain/json'
import { at, text } from '../../../lib/providers/openshift/loose'
import { operatorSync, type OperatorSync } from '../../../lib/providers/openshift/operator-sync'
import type { Course, RecordedEvent, Seen, SequenceStep } from './sequences'
import { differs, whole, type Difference } from './table'

/** What a recording's events do not say by themselves. */
export interface Known {
  platform: string
  /** version that the cluster was installed with, "4.12.40" */
  install: string
  /** version that it runs or moves to */
  newest: string
  /** ConfigMap's releaseVersion */
  release?: string
}

/** From the first words of a recording, else from what was recorded when the mode was entered. */
export function told(steps: readonly SequenceStep[]): Known {
  const words = steps.map((s) => s?.input ?? '').join('\n')
  const versions = [...(/history ((?:\S+ \(\w+\)(?: <- )?)+)/.exec(words)?.[1] ?? '').matchAll(/(\d\S+) \(/g)].map(
    (m) => m[1],
  )
  const events = steps.flatMap((s) => (Array.isArray(s?.events) ? s.events : []))
  const skews = events.flatMap((event) => event?.machineConfiguration?.skew ?? [])
  const recorded = skews.map((skew) => text(skew, 'automatic', 'ocpVersion') ?? text(skew, 'manual', 'ocpVersion'))
  const minor = /openshift_container_platform\/(\d+\.\d+)\//.exec(JSON.stringify(events))?.[1]
  return {
    platform: /\b(AWS|GCP|Azure|VSphere)\b/.exec(words)?.[1] ?? 'GCP',
    install: versions.at(-1) ?? recorded.find(Boolean) ?? '0.0.0',
    newest: versions[0] ?? (minor ? `${minor}.0` : '4.22.0'),
  }
}

const conditionsOf = ({ progressing, degraded }: Seen): JsonObject[] =>
  [
    progressing && { type: 'BootImageUpdateProgressing', ...progressing },
    degraded && { type: 'BootImageUpdateDegraded', ...degraded },
  ].filter((c) => c !== undefined)

/** The operator's sync over what was seen, with a spec. */
function sync({ known }: Course, seen: Seen, spec: JsonObject): OperatorSync {
  const status = {
    ...(seen.skew && { bootImageSkewEnforcementStatus: seen.skew }),
    ...(seen.machineManagers && { managedBootImagesStatus: { machineManagers: seen.machineManagers } }),
    conditions: conditionsOf(seen),
  }
  return operatorSync({
    machineConfiguration: whole('MachineConfiguration', 'cluster', { spec, status }),
    infrastructure: whole('Infrastructure', 'cluster', {
      status: { platformStatus: { type: known.platform }, controlPlaneTopology: 'HighlyAvailable' },
    }),
    clusterVersion: whole('ClusterVersion', 'version', {
      status: { history: [known.newest, known.install].map((version) => ({ state: 'Completed', version })) },
    }),
    pools: [],
  })
}

/** The spec under which what was seen stays as it is: what somebody wrote is in no event, only what became of it. */
const keeping = (seen: Seen): JsonObject => {
  const mode = text(seen.skew, 'mode')
  const manual = at(seen.skew, 'manual')
  const skew = mode === 'Manual' ? { mode, ...(manual !== undefined && { manual }) } : mode === 'None' ? { mode } : null
  return {
    ...(skew && { bootImageSkewEnforcement: skew as JsonObject }),
    ...(seen.machineManagers && { managedBootImages: { machineManagers: seen.machineManagers } }),
  }
}

/** The operator's writes to status, and its words about Upgradeable. */
export function operatorWrite(course: Course, event: RecordedEvent): Difference | undefined {
  const before = course.seen
  const change = event.machineConfiguration
  if (change) {
    course.seen = { ...before, ...change }
    if (change.machineManagers !== undefined || change.skew !== undefined) {
      course.owed.add('BootImageUpdateConfigurationUpdated')
      const difference = taken(course, before, course.seen)
      if (difference) return difference
    }
  }
  const now = sync(course, course.seen, keeping(course.seen))
  if (event.upgradeable) {
    course.upgradeable = event.upgradeable
    const difference = differs(event.upgradeable, now.upgradeable, 'upgradeable')
    if (difference) return difference
  }
  return event.operatorSyncError === undefined
    ? undefined
    : differs(event.operatorSyncError, now.error, 'operatorSyncError')
}

/** What the operator made of a spec: one of those that could lead there has to. */
function taken(course: Course, before: Seen, after: Seen): Difference | undefined {
  const wanted = keeping(after)
  const specs = [wanted, ...['bootImageSkewEnforcement', 'managedBootImages'].map((key) => without(wanted, key)), {}]
  const answers = specs.map((spec) => {
    const { mode, recorded, managers } = sync(course, before, spec)
    const part = mode === 'Manual' ? 'manual' : 'automatic'
    return {
      skew: mode && { mode, ...(Object.keys(recorded).length > 0 && { [part]: recorded }) },
      machineManagers: managers ?? null,
    }
  })
  const table = { skew: after.skew ?? null, machineManagers: after.machineManagers ?? null }
  const differences = answers.map((answer) => differs(table, answer))
  return differences.includes(undefined) ? undefined : differences.at(-1)
}

const without = (object: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([k]) => k !== key))

/** Seconds within which the operator's words may lag behind a state, or leave it out for the next one. */
const LAG = 0.15

/** Whether it said of every state that stood what follows from it; a table without such words is not held to it. */
export function silence(course: Course, events: readonly RecordedEvent[]): Difference | undefined {
  let { seen, upgradeable } = course
  for (const [i, event] of events.entries()) {
    seen = { ...seen, ...event.machineConfiguration }
    upgradeable = event.upgradeable ?? upgradeable
    const stands = (events[i + 1]?.t ?? Infinity) - event.t > LAG
    if (!stands || !upgradeable) continue
    const { status, reason } = sync(course, seen, keeping(seen)).upgradeable
    const difference = differs(
      { status: upgradeable.status, reason: upgradeable.reason },
      { status, reason },
      `upgradeable after t ${event.t}`,
    )
    if (difference) return difference
  }
  return undefined
}
