import { canonical } from '@/lib/domain/changes'
import { machinePart } from '@/lib/domain/changes/revision'
import { SCALED, type Revision } from '@/lib/domain/scaling'
import type { KubeObject } from '@/lib/kubernetes/types'
import { count } from '../fields'
import { objectAt } from './changes/read'
import { conditionsOf, prose } from './conditions'

const IN_PLACE = 'in-place-updates.internal.cluster.x-k8s.io'
const DEPLOYMENT = 'machinedeployment.clusters.x-k8s.io'
const TOLD = `${DEPLOYMENT}/desired-replicas`

const template = (object: KubeObject): string => canonical(machinePart(objectAt(object.spec, 'template', 'spec') ?? {}))

/** Machine sets of a MachineDeployment, as far as scaling it goes. */
export function setSizes(group: KubeObject, sets: readonly KubeObject[]): Revision[] {
  const wished = template(group)
  return sets.map((set) => {
    const { name, creationTimestamp, annotations = {} } = set.metadata
    const told = annotations[TOLD]
    return {
      ...{ name, createdAt: creationTimestamp, scaled: annotations[SCALED] },
      replicas: count(set.spec, 'replicas') ?? 1,
      has: count(set.status, 'replicas') ?? 0,
      told: told !== undefined && /^\d+$/.test(told) ? Number(told) : null,
      wished: template(set) === wished,
      // As Cluster API: what is no number counts as none.
      revision: Number(/^\d+$/.exec(annotations[`${DEPLOYMENT}/revision`] ?? '')?.[0] ?? 0),
      moves: `${IN_PLACE}/move-machines-to-machineset` in annotations,
      disabled: annotations['cluster.x-k8s.io/disable-machine-create'] === 'true',
    }
  })
}

/** Whether its status has fewer machines than it is told of. */
export const lacksMachines = ({ spec, status }: KubeObject): boolean =>
  (count(spec, 'replicas') ?? 1) > (count(status, 'replicas') ?? 0)

/** Which machines a machine set makes: "v1.34.1, template web-2". */
export function makesWords({ spec }: KubeObject): string {
  const machine = objectAt(spec, 'template', 'spec')
  const names = [machine?.version, objectAt(machine, 'infrastructureRef')?.name]
  const [version, template] = names.map((name) => (typeof name === 'string' ? name : null))
  return [version, template && `template ${template}`].filter(Boolean).join(', ')
}

/** Whether its controller was told, for every machine set, that so many are wanted: then nothing is to be carried. */
export const isAsTold = (wanted: number, sets: readonly KubeObject[]): boolean =>
  sets.every(({ metadata }) => metadata.annotations?.[TOLD] === String(wanted))

/** Why a machine set does not make the machines that it wants, in its controller's own words; null: nothing is said. */
export function whyNoMachines(set: KubeObject): string | null {
  const conditions = conditionsOf(set)
  const [, because] =
    conditions
      .find(({ type, status }) => type === 'ScalingUp' && status === 'True')
      ?.message.split(/ is blocked because:\n?/) ?? []
  // Before Cluster API 1.9.
  const created = conditions.find(({ type, status }) => type === 'MachinesCreated' && status === 'False')
  const words = because ?? created?.message
  return words ? prose(words) : null
}
