import type { Clock } from '../controllers/clock'
import { isTrue } from '../controllers/conditions'
import { conditionOf } from '../controllers/conditions'
import { has, keyOf, type Machine, type MachineDeployment } from '../controllers/kinds'
import { ANNOTATION, HOST, LABEL, MACHINES, MACHINE_DEPLOYMENTS } from '../controllers/names'
import type { Nodes } from '../controllers/nodes'
import type { Store, WriteAs } from '../types'
import { seeded } from './random'

const OPERATOR: WriteAs = { user: 'node-repair', groups: ['system:authenticated'], fieldManager: 'node-repair' }

/** Seconds between two machines that are replaced, and between two nodes that fall silent for a moment. */
const REPLACE_EVERY = 150
const SILENT_EVERY = 40
const SILENT_FOR = 12

/** Steady background life: what a fleet does when nobody changes anything. Never touches a group that is held or rolling. */
export function startLife(store: Store, nodes: Nodes, clock: Clock, seed: number) {
  const random = seeded(seed ^ 0x5eed)
  const quiet = (machine: Machine) => {
    const name = machine.metadata.labels?.[LABEL.deployment]
    const group =
      name &&
      (store.get(MACHINE_DEPLOYMENTS, `${machine.metadata.namespace}/${name}`) as unknown as
        MachineDeployment | undefined)
    return (
      group &&
      !has(group, ANNOTATION.paused) &&
      !has(group, HOST.leftAlone) &&
      isTrue(group, 'Available') &&
      conditionOf(group, 'RollingOut')?.status === 'False'
    )
  }
  const pick = () => {
    const machines = store.list(MACHINES) as unknown as Machine[]
    for (let tries = 0; tries < 20 && machines.length > 0; tries++) {
      const machine = machines[random.int(machines.length)]
      if (machine && !machine.metadata.deletionTimestamp && isTrue(machine, 'Available') && quiet(machine))
        return machine
    }
    return undefined
  }
  const every = (seconds: number, run: () => void) => {
    const again = () => {
      run()
      clock.after(clock.ms(seconds * (0.6 + random.int(80) / 100)), again)
    }
    clock.after(clock.ms(seconds * (0.3 + random.int(40) / 100)), again)
  }
  every(REPLACE_EVERY, () => {
    const machine = pick()
    if (machine) store.delete(MACHINES, keyOf(machine), OPERATOR).catch(() => undefined)
  })
  every(SILENT_EVERY, () => {
    const machine = pick()
    if (!machine) return
    const { namespace = '', name } = machine.metadata
    nodes.setSilent(namespace, machine.spec.clusterName, name, true)
    clock.after(clock.ms(SILENT_FOR), () => nodes.setSilent(namespace, machine.spec.clusterName, name, false))
  })
}
