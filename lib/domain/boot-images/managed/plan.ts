import type { JsonObject } from '../../json'
import { skewLabel, skewStanza, type SkewRequest } from '../../skew/patch'
import type { LabelSelector, MachineManager, Managers, SkewMode, SkewSpec } from '../../skew/types'

/** Which machine sets the operator is to keep current. */
type SetsWish = { mode: 'All' } | { mode: 'None' } | { mode: 'Partial'; selector: LabelSelector }

export interface ManagedWish {
  sets: SetsWish
  /** The ControlPlaneMachineSet; absent: as it is. */
  controlPlanes?: 'All' | 'None'
  /** What becomes of the limit: recorded or switched off before, or decided by the operator again. */
  skew?: Omit<SkewRequest, 'manageAll'>
}

/** What MachineConfiguration/cluster says now. */
export interface ManagedNow {
  spec: SkewSpec | null
  /** Of status: the API server holds writes to it. */
  mode: SkewMode | null
  managers: Managers
}

/** One write, as the engine of actions takes it. */
interface ManagedStep {
  label: string
  body: JsonObject
  waitsFor?: string
  back?: { label: string; body: JsonObject }
}

const API_GROUP = 'machine.openshift.io'
const entry = (resource: string, selection: MachineManager['selection']): MachineManager => ({
  ...{ resource, apiGroup: API_GROUP, selection },
})

/**
 * The list that a wish comes to. A merge patch replaces it whole, so what the wish does not speak of is kept; machine sets are
 * always named, for where the list names none the operator manages all, also where it was empty before. `none`: the schema has
 * the mode None; where it does not, nothing is managed that is not named, and nothing is what is not named.
 */
export function managersAfter({ sets, controlPlanes }: ManagedWish, now: Managers, none = true): MachineManager[] {
  const of = (resource: string) => now?.find((m) => m.resource === resource && m.apiGroup === API_GROUP)
  const planes = controlPlanes
    ? entry('controlplanemachinesets', { mode: controlPlanes })
    : of('controlplanemachinesets')
  const others = (now ?? []).filter((m) => !['machinesets', 'controlplanemachinesets'].includes(m.resource))
  const selection =
    sets.mode === 'Partial'
      ? { mode: sets.mode, partial: { machineResourceSelector: sets.selector } }
      : { mode: sets.mode }
  const named = none || sets.mode !== 'None' ? [entry('machinesets', selection)] : []
  return [...named, ...(planes ? [planes] : []), ...others]
}

/** While the operator records by itself, the API server takes nothing but All for machine sets. */
export const leavesAutomatic = ({ sets }: Pick<ManagedWish, 'sets'>, { mode }: Pick<ManagedNow, 'mode'>): boolean =>
  mode === 'Automatic' && sets.mode !== 'All'

/** Why a wish cannot be sent as it is, with what to do; null: it can. */
export function wishProblem(wish: ManagedWish, now: Pick<ManagedNow, 'mode'>): string | null {
  const { sets, skew } = wish
  if (leavesAutomatic(wish, now) && (!skew || skew.action === 'automatic'))
    return 'The operator records the boot image by itself, and the API server holds all machine sets managed for as long as it does. Say what is to be recorded first, or switch enforcement off.'
  if (skew?.action === 'automatic' && sets.mode !== 'All')
    return 'The operator records by itself only where all machine sets are managed.'
  return null
}

/**
 * The writes that a wish takes, in order. Leaving Automatic takes two: the rules of the API server go by status, so that the
 * second is refused until the operator has taken up the first, also in one and the same patch.
 */
export function managedSteps(wish: ManagedWish, now: ManagedNow, none = true): ManagedStep[] {
  const machineManagers = managersAfter(wish, now.managers, none) as unknown as JsonObject[]
  const managing: JsonObject = { managedBootImages: { machineManagers } }
  const label = manageLabel(wish)
  if (!wish.skew) return [{ label, body: { spec: managing } }]
  const skew: JsonObject = { bootImageSkewEnforcement: skewStanza(wish.skew) }
  if (!leavesAutomatic(wish, now))
    return [{ label: `${label}, and ${small(skewLabel(wish.skew))}`, body: { spec: { ...managing, ...skew } } }]
  const before: JsonObject = { bootImageSkewEnforcement: stanzaOf(now.spec) }
  const managed = now.managers && { machineManagers: now.managers as unknown as JsonObject[] }
  const back = (spec: JsonObject) => ({
    label: now.spec === null ? 'Let the operator record by itself again' : 'Put back what was configured before',
    body: { spec },
  })
  return [
    { label: skewLabel(wish.skew), body: { spec: skew }, back: back(before) },
    {
      ...{ label, body: { spec: managing }, waitsFor: 'the operator has left Automatic' },
      back: back({ managedBootImages: managed ?? null, ...before }),
    },
  ]
}

/**
 * The steps of a wish that did not come to its end, for what is there now: all of it where nothing is stored, else the list of those that
 * are left, which keeps what somebody else wrote into it meanwhile. `unsure`: the step that may be stored, -1 for none. What is there may
 * be its own work, and nothing to lead back to.
 */
export function stepsAnew<Step extends ManagedStep & { state?: string }>(
  steps: readonly Step[],
  wish: ManagedWish,
  now: ManagedNow,
  unsure: number,
  none = true,
): ManagedStep[] {
  if (unsure < 0 && steps.every(({ state }) => state !== 'stored')) return managedSteps(wish, now, none)
  const machineManagers = managersAfter(wish, now.managers, none) as unknown as JsonObject[]
  const before = now.managers ? { machineManagers: now.managers as unknown as JsonObject[] } : null
  const setting = ({ spec }: JsonObject, managedBootImages: JsonObject | null): JsonObject => ({
    spec: { ...(spec as JsonObject), managedBootImages },
  })
  return steps.map((step, i) =>
    step.state === 'stored' || !('managedBootImages' in (step.body.spec as JsonObject))
      ? step
      : {
          ...step,
          body: setting(step.body, { machineManagers }),
          ...(step.back && i !== unsure && { back: { ...step.back, body: setting(step.back.body, before) } }),
        },
  )
}

function manageLabel({ sets, controlPlanes }: ManagedWish): string {
  const which = {
    All: 'Manage all machine sets',
    Partial: 'Manage the machine sets that match the selector',
    None: 'Manage no machine set',
  }[sets.mode]
  if (!controlPlanes) return which
  return `${which}, and ${controlPlanes === 'All' ? 'the control plane’s' : 'not the control plane’s'}`
}

const small = (words: string): string => words[0]!.toLowerCase() + words.slice(1)

/** A stored stanza as a patch that leads to it from whatever is there. */
function stanzaOf(spec: SkewSpec | null): JsonObject | null {
  if (spec === null) return null
  if (spec.mode !== 'Manual') return skewStanza({ action: 'opt-out' })
  const versionKind = spec.manual?.mode === 'RHCOSVersion' ? 'RHCOSVersion' : 'OCPVersion'
  const version = versionKind === 'RHCOSVersion' ? spec.manual?.rhcosVersion : spec.manual?.ocpVersion
  return skewStanza({ action: 'acknowledge', versionKind, version })
}

/** Whether the configuration that the operator took up is what a wish asked for. */
export function managedShows(effective: Managers, { sets, controlPlanes }: ManagedWish): boolean {
  const of = (resource: string) => effective?.find((m) => m.resource === resource)?.selection
  const shown = of('machinesets') ?? { mode: 'None' }
  if (shown.mode !== sets.mode) return false
  if (sets.mode === 'Partial' && !same(shown.partial?.machineResourceSelector ?? {}, sets.selector)) return false
  return !controlPlanes || (of('controlplanemachinesets')?.mode ?? 'None') === controlPlanes
}

const same = (a: LabelSelector, b: LabelSelector): boolean => text(a) === text(b)
const text = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string =>
  JSON.stringify([
    Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1)),
    matchExpressions.map(({ key, operator, values = [] }) => [key, operator, values]),
  ])
