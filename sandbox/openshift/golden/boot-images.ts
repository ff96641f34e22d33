import {
  beforePass,
  enrolledSets,
  halfPass,
  lowestReleases,
  noStats,
  recordAfter,
  type PassStats,
} from '../../../lib/domain/boot-images/pass'
import { bootImageState } from '../../../lib/domain/boot-images/state'
import type { BootImage, ImageContext, ImageSet } from '../../../lib/domain/boot-images/types'
import type { JsonObject } from '../../../lib/domain/json'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { readImageContext, readImageSet } from '../../../lib/providers/openshift/image-sets'
import { readClusterVersion, readSkewState } from '../../../lib/providers/openshift/readers'
import { afterStep } from '../controllers/conditions'
import { cloudOf, configMapOf, dataOf, type Catalog } from './catalog'
import { compareRow } from './compare'
import { TableError, whole, type Played } from './table'

/** Architecture of the machine that the controller ran on. */
export const OWN = 'x86_64'

export interface BootImageRow {
  id: string
  in: {
    gates?: string[]
    clusterVersion: JsonObject | null
    configMap: string
    infrastructure: JsonObject | null
    machineConfiguration: JsonObject
    machineSets: JsonObject[]
    controlPlaneMachineSet?: JsonObject
    secrets: string[]
  }
  out: {
    decision?: string
    reason?: string
    images?: JsonObject
    patches?: JsonObject
    recorded?: JsonObject | null
    counts?: JsonObject
    progressing?: JsonObject
    degraded?: JsonObject
    log?: string[]
    ec2?: string[]
    secretUpdated?: { name: string }
  }
}

export interface Decided {
  set: ImageSet
  image: BootImage
}

/** A pass over a row's objects, as far as the table tells of it. */
export interface PlayedPass {
  /** deferred, pass-error, crash; done: the pass went through */
  end: 'deferred' | 'pass-error' | 'crash' | 'done'
  refused?: string
  sets: Decided[]
  planes: Decided[]
  stats: PassStats
  conditions: JsonObject[] | undefined
  recorded: JsonObject | null
  /** Marketplace releases of which the operator records one, whichever it comes to first */
  alike: string[]
  asked: string[]
  context: ImageContext
}

/** One pass of the boot image controller by our rules, against what the controller itself did with the same objects. */
export function playBootImageRow(row: BootImageRow, catalog: Catalog): Played {
  if (!row.in?.machineConfiguration || !Array.isArray(row.in.machineSets) || !row.out)
    throw new TableError('it has no MachineConfiguration, no machine sets or no answer')
  return compareRow(row, passOf(row.in, catalog))
}

function passOf(given: BootImageRow['in'], catalog: Catalog): PlayedPass {
  const configuration = whole('MachineConfiguration', 'cluster', given.machineConfiguration)
  const clusterVersion = given.clusterVersion ? whole('ClusterVersion', 'version', given.clusterVersion) : undefined
  const data = configMapOf(catalog, given.configMap)
  const asked: string[] = []
  const context = readImageContext({
    configMap: data && ({ ...whole('ConfigMap', 'coreos-bootimages', {}), data } as KubeObject),
    infrastructure: given.infrastructure ? whole('Infrastructure', 'cluster', given.infrastructure) : undefined,
    clusterVersion,
    controlPlaneArch: OWN,
    data: dataOf(catalog, given.secrets),
    cloud: cloudOf(catalog, asked),
  })
  const state = readSkewState(configuration, true)
  const { history } = readClusterVersion(clusterVersion)
  const pass: PlayedPass = {
    end: 'done',
    sets: [],
    planes: [],
    stats: noStats(),
    conditions: configuration.status?.conditions as JsonObject[] | undefined,
    recorded: state.mode === 'Automatic' ? { ...state.recorded } : null,
    alike: [],
    asked,
    context,
  }
  const before = beforePass(history, state.generation, state.observedGeneration, true)
  if (before) return { ...pass, end: before === 'deferred' ? 'deferred' : 'pass-error' }
  const has = (gate: string): boolean => given.gates?.includes(gate) ?? true
  const objects = {
    sets: given.machineSets.map((set, i) => readImageSet(whole('MachineSet', `set-${i}`, set))),
    planes: given.controlPlaneMachineSet
      ? [readImageSet(whole('ControlPlaneMachineSet', 'cluster', given.controlPlaneMachineSet))]
      : [],
  }
  const halves: (keyof PassStats)[] = has('ManagedBootImagesCPMS') ? ['planes', 'sets'] : ['sets']
  for (const half of halves) {
    const kind = half === 'sets' ? 'MachineSet' : 'ControlPlaneMachineSet'
    const chosen = enrolledSets(state.effectiveManagers, kind, objects[half])
    const sets = 'refused' in chosen ? [] : chosen
    const noMap =
      half === 'sets' && sets.length > 0 && !data ? 'failed to fetch coreos-bootimages config map' : undefined
    run(pass, half, sets, 'refused' in chosen ? chosen.refused : noMap)
    if (pass.end === 'crash') return pass
  }
  if (pass.end === 'pass-error' || !has('BootImageSkewEnforcement')) return pass
  const images = pass.sets.map(({ image }) => image)
  const recorded = recordAfter(images, { mode: state.mode, releaseVersion: data?.releaseVersion, history })
  return { ...pass, alike: lowestReleases(images), ...(recorded && { recorded: { ...recorded } }) }
}

function run(pass: PlayedPass, half: keyof PassStats, sets: readonly ImageSet[], refused: string | undefined): void {
  const decide = (set: ImageSet): BootImage => {
    const image = bootImageState(set, pass.context)
    pass[half].push({ set, image })
    return image
  }
  for (const step of halfPass(half, pass.stats, sets, decide, refused)) {
    if (step.kind === 'crash') pass.end = 'crash'
    if (step.kind === 'condition') pass.conditions = afterStep(pass.conditions, step, 'a pass') ?? pass.conditions
  }
  if (refused !== undefined && half === 'sets') Object.assign(pass, { end: 'pass-error', refused })
}
