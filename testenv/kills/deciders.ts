import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { databaseUrl } from '@/lib/db/client'
import type { Task } from './decider'

/** So many are made ready ahead: each takes far longer to begin than to decide. */
const AHEAD = 3

/** Programs that decide, one for each task, and may be killed while they do. */
export class Deciders {
  private readonly ready: Promise<ChildProcess>[] = []

  /** Whether it was killed; throws where it failed by itself. */
  async run(task: Task): Promise<boolean> {
    while (this.ready.length < AHEAD) this.ready.push(started())
    const child = await this.ready.shift()!
    let said = ''
    child.stderr!.on('data', (part: Buffer) => (said += part.toString()))
    const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>
    child.send(task)
    const [code, signal] = await ended
    if (signal === 'SIGKILL') return true
    if (code !== 0) throw new Error(`it ended with ${code ?? signal}: ${said.slice(-2_000)}`)
    return false
  }

  async stop(): Promise<void> {
    for (const child of await Promise.allSettled(this.ready))
      if (child.status === 'fulfilled') child.value.kill('SIGKILL')
  }
}

async function started(): Promise<ChildProcess> {
  const env = { ...process.env, DATABASE_URL: databaseUrl() }
  const child = spawn(process.execPath, ['--import', 'tsx', 'testenv/kills/decider.ts'], {
    ...{ env, timeout: 900_000, killSignal: 'SIGTERM' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('it never began'))),
  ])
  return child
}
