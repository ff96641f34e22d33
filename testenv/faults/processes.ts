import { closeSync, openSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { spawnGuarded, type Guarded } from '@/lib/guarded'
import { until } from '../process'

export interface Killable {
  /** kill -9 of exactly this program and its guard: nothing is tidied up. */
  kill(): Promise<void>
  stop(): Promise<void>
  log(): string
}

/** A program of the project in a process of its own, with this process's environment and what is given. */
export function run(dir: string, name: string, args: string[], env: Record<string, string> = {}): Killable {
  const file = join(dir, `${name}.log`)
  const out = openSync(file, 'a')
  const guarded: Guarded = spawnGuarded(process.execPath, ['--import', 'tsx', ...args], {
    signal: 'TERM',
    env: { ...process.env, NODE_ENV: 'production', ...env },
    out,
    err: out,
  })
  closeSync(out)
  return {
    kill: async () => {
      // It leads a session of its own, so this group is it, its guard, and nobody else.
      process.kill(-guarded.process.pid!, 'SIGKILL')
      await guarded.ended
    },
    stop: () => guarded.stop(),
    log: () => readFileSync(file, 'utf8').split('\n').slice(-15).join('\n'),
  }
}

/** The worker as it is started in production: watches, planner, applier, keeper and gate. */
export async function startWorkerProcess(dir: string, name: string, gatePort: number): Promise<Killable> {
  const worker = run(dir, name, ['worker/main.ts'], {
    DRYDOCK_GATE_HOST: '127.0.0.1',
    DRYDOCK_GATE_PORT: String(gatePort),
    DRYDOCK_DATA_DIR: join(dir, name),
  })
  try {
    await until(`the gate of ${name}`, () => listens(gatePort), { ms: 90_000, every: 100 })
  } catch (error) {
    throw new Error(worker.log(), { cause: error })
  }
  return worker
}

export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
