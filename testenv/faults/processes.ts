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
  /** How often it has written this. */
  said(words: string): number
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
    said: (words) => readFileSync(file, 'utf8').split(words).length - 1,
  }
}

export interface WorkerStart {
  gatePort: number
  databaseUrl: string
  /** A module that is loaded before the program. */
  before?: string
}

/** The worker as it is started in production: watches, planner, applier, keeper and gate. */
export async function startWorkerProcess(dir: string, name: string, start: WorkerStart): Promise<Killable> {
  const { gatePort, databaseUrl, before } = start
  const worker = run(dir, name, [...(before ? ['--import', before] : []), 'worker/main.ts'], {
    DATABASE_URL: databaseUrl,
    DRYDOCK_GATE_HOST: '127.0.0.1',
    DRYDOCK_GATE_PORT: String(gatePort),
    DRYDOCK_DATA_DIR: join(dir, name),
  })
  try {
    await until(`the gate of ${name}`, () => listens(gatePort), { ms: 90_000, every: 100 })
  } catch (error) {
    await worker.kill()
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
