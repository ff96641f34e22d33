import { join } from 'node:path'
import { request } from 'undici'
import { freePort } from '@/lib/free-port'
import { MANAGERS, type Manager } from './crds'
import { startProcess, until, type RunningProcess } from './process'

export type Gates = Record<string, boolean>

export const IN_PLACE: Gates = { MachinePool: true, ClusterTopology: true, RuntimeSDK: true, InPlaceUpdates: true }
/** What is on by default, with ClusterClass so that its clusters can be tested: no alpha feature that Drydock could need. */
export const WITHOUT_IN_PLACE: Gates = {
  MachinePool: true,
  ClusterTopology: true,
  RuntimeSDK: false,
  InPlaceUpdates: false,
}

/** Each manager refuses gates that it does not know. */
const KNOWS: Record<Manager, string[]> = {
  'capi-core': ['MachinePool', 'ClusterTopology', 'RuntimeSDK', 'InPlaceUpdates', 'MachineTaintPropagation'],
  'capi-bootstrap': ['MachinePool'],
  'capi-controlplane': ['MachinePool', 'ClusterTopology', 'InPlaceUpdates'],
  'capi-infrastructure': ['MachinePool', 'ClusterTopology'],
}

export interface RunningManagers {
  processes(): RunningProcess[]
  /** Ends and starts core, bootstrap and control plane anew; the in-memory machines live on in the fourth. */
  restart(gates: Gates): Promise<void>
  stop(): Promise<void>
}

interface Options {
  bin: string
  dir: string
  kubeconfig: string
  ports: Record<Manager, number>
  gates: Gates
  /** Gives up when it is aborted. */
  signal?: AbortSignal
}

export async function startManagers(options: Options): Promise<RunningManagers> {
  const running = new Map<Manager, RunningProcess>()
  const start = async (names: readonly Manager[], gates: Gates) => {
    const health = new Map<Manager, number>()
    for (const name of names) {
      const port = await freePort()
      health.set(name, port)
      running.set(name, startManager(name, options, gates, port, await freePort()))
    }
    const watching = names.map((name) => running.get(name)!)
    await Promise.all(
      names.map((name) =>
        until(`${name} to be ready`, () => answers(health.get(name)!), { watching, signal: options.signal }),
      ),
    )
  }
  const stop = async (names: readonly Manager[]) => {
    await Promise.all(names.map((name) => running.get(name)?.stop()))
  }
  try {
    await start(MANAGERS, options.gates)
  } catch (error) {
    await stop(MANAGERS) // nobody else knows of them yet
    throw error
  }
  return {
    processes: () => [...running.values()],
    restart: async (gates) => {
      const names = MANAGERS.filter((name) => name !== 'capi-infrastructure')
      await stop(names)
      await start(names, gates)
    },
    stop: () => stop(MANAGERS),
  }
}

async function answers(port: number): Promise<boolean> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`)
  await body.dump()
  return statusCode === 200
}

/** Only what it knows: it refuses to start with another gate. */
export function gatesArgument(name: Manager, gates: Gates): string {
  const known = Object.entries(gates).filter(([gate]) => KNOWS[name].includes(gate))
  return `--feature-gates=${known.map(([gate, on]) => `${gate}=${on}`).join(',')}`
}

function startManager(name: Manager, o: Options, gates: Gates, health: number, diagnostics: number): RunningProcess {
  const args = [
    `--webhook-port=${o.ports[name]}`,
    `--webhook-cert-dir=${join(o.dir, 'pki')}`,
    `--health-addr=127.0.0.1:${health}`,
    `--diagnostics-address=127.0.0.1:${diagnostics}`,
    '--insecure-diagnostics',
    gatesArgument(name, gates),
    '--v=2',
  ]
  // POD_IP is where the in-memory provider serves workload API servers.
  const env = {
    KUBECONFIG: o.kubeconfig,
    POD_IP: '127.0.0.1',
    POD_NAMESPACE: 'capi-system',
    POD_NAME: name,
    POD_UID: '0',
  }
  return startProcess(name, join(o.bin, name), args, join(o.dir, `${name}.log`), env)
}
