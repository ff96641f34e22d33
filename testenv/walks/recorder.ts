import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import {
  ANNOTATION,
  CONTROL_PLANES,
  LABEL,
  MACHINE_DEPLOYMENTS,
  MACHINE_SETS,
  MACHINES,
} from '@/sandbox/controllers/names'
import type { SandboxObject, Store, StoreEvent } from '@/sandbox/types'

/** What happened to a group, or to one of its machines, in the store of the simulated API server itself. */
export interface Happened {
  at: number
  what: 'held' | 'released' | 'created' | 'deleted' | 'begun'
  group: string
  /** What the group wants, or the machine is to be. */
  key: string
  /** What the machine was. */
  was?: string
  machine?: string
  /** Of one that is made: how many there are by that, without those that go. */
  there?: number
  /** Of a group that is let go: nothing is left that could move. */
  isOver?: boolean
}

interface Template {
  version?: string
  bootstrap?: { configRef?: { name?: string } }
  infrastructureRef?: { name?: string }
}
const keyOf = (template: Template | undefined) =>
  [template?.version, template?.bootstrap?.configRef?.name, template?.infrastructureRef?.name].join(' ')

/** What a group wants, by all that a walk ever changes in it. */
export function wantsOf({ kind, spec }: { kind?: string; spec?: unknown }): string {
  const { version, template } = (spec ?? {}) as { version?: string; template?: { spec: Template } }
  return kind === 'KubeadmControlPlane' ? String(version) : keyOf(template?.spec)
}

const annotation = (object: SandboxObject | undefined, key: string) => object?.metadata.annotations?.[key]
const isHeld = (object: SandboxObject | undefined) =>
  annotation(object, PAUSED) === PAUSED_BY_DRYDOCK || annotation(object, HELD) !== undefined

/** Writes down, with the time, what the API server stored of one namespace. */
export class Recorder {
  readonly happened: Happened[] = []
  readonly stop: () => void

  constructor(
    private readonly store: Store,
    private readonly namespace: string,
  ) {
    this.stop = store.subscribe((event) => {
      if (event.object.metadata.namespace === namespace) this.take(event)
    })
  }

  private take({ type, resource, object, old }: StoreEvent): void {
    const at = Date.now()
    const { name } = object.metadata
    if (resource === MACHINE_DEPLOYMENTS || resource === CONTROL_PLANES) {
      if (type !== 'MODIFIED' || isHeld(object) === isHeld(old)) return
      const key = wantsOf(object)
      const isOver = this.members(name).every((machine) => this.keyOfMachine(machine) === key)
      this.happened.push({ at, what: isHeld(object) ? 'held' : 'released', group: name, key, isOver })
    }
    if (resource !== MACHINES) return
    const group = this.groupOf(object)
    const key = this.keyOfMachine(object)
    const gone = (one: SandboxObject | undefined) => one?.metadata.deletionTimestamp !== undefined
    // A control plane writes what a machine is to be after it marked it; its machine sets have the marks of theirs in one write.
    const isPlane = object.metadata.labels?.[LABEL.deployment] === undefined
    const mark = isPlane ? ANNOTATION.pendingHooks : ANNOTATION.updating
    const begun = (one: SandboxObject | undefined) => annotation(one, mark) !== undefined
    const was = old ? this.keyOfMachine(old) : key
    if (type === 'ADDED') {
      const there = this.members(group).filter((one) => !gone(one)).length
      this.happened.push({ at, what: 'created', group, key, machine: name, there })
    }
    if (type === 'DELETED' ? !gone(old ?? object) : gone(object) && !gone(old))
      this.happened.push({ at, what: 'deleted', group, key: was, machine: name })
    else if (type === 'MODIFIED' && begun(object) && !begun(old))
      this.happened.push({ at, what: 'begun', group, key, was, machine: name })
  }

  private groupOf({ metadata: { labels = {} } }: SandboxObject): string {
    return labels[LABEL.deployment] ?? labels[LABEL.controlPlaneName] ?? ''
  }

  /** Of a worker what its machine set makes; of a control plane machine its version. */
  keyOfMachine({ metadata, spec }: SandboxObject): string {
    if (metadata.labels?.[LABEL.deployment] === undefined) return String(spec?.version)
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'MachineSet')?.name
    return wantsOf({ ...this.store.get(MACHINE_SETS, `${this.namespace}/${owner}`) })
  }

  members(group: string): SandboxObject[] {
    return this.store.list(MACHINES, { namespace: this.namespace }).filter((machine) => this.groupOf(machine) === group)
  }

  read(group: string): SandboxObject {
    const key = `${this.namespace}/${group}`
    return (this.store.get(MACHINE_DEPLOYMENTS, key) ?? this.store.get(CONTROL_PLANES, key))!
  }

  isHeld = (group: string): boolean => isHeld(this.read(group))
}
