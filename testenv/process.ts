import { createConnection } from 'node:net'
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'

/**
 * A shell stands over each process and reads a pipe that nobody writes to: when our process ends, however it ends, the
 * pipe closes and the shell ends its process. A killed test run leaves nothing behind.
 */
const GUARD = `exec 3<&0
"$@" 3<&- &
p=$!
( cat <&3 >/dev/null; kill -TERM $p; i=0; while kill -0 $p && [ $i -lt 50 ]; do sleep 0.1; i=$((i+1)); done; kill -KILL $p ) 2>/dev/null &
c=$!
wait $p
r=$?
kill $c 2>/dev/null
exit $r`

export interface RunningProcess {
  name: string
  logFile: string
  /** Resolves when it has ended, by itself or by `stop`. */
  ended: Promise<number | null>
  stop(): Promise<void>
  /** The last lines of its log, for an error message. */
  tail(): string
}

/** Starts a process in a session of its own (Ctrl-C reaches only us, who stop in order), with its output in a file. */
export function startProcess(
  name: string,
  command: string,
  args: string[],
  logFile: string,
  env: Record<string, string> = {},
): RunningProcess {
  const log = openSync(logFile, 'a')
  const child: ChildProcess = spawn('sh', ['-c', GUARD, 'sh', command, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', log, log],
    detached: true,
  })
  closeSync(log)
  child.unref()
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('exit', resolve)
    child.on('error', reject)
  })
  return {
    name,
    logFile,
    ended,
    stop: async () => {
      child.ref() // whoever waits for the end stays alive for it
      child.stdin?.destroy()
      await ended
    },
    tail: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n'),
  }
}

export function portTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.on('connect', () => (socket.destroy(), resolve(true)))
    socket.on('error', () => resolve(false))
  })
}

/** Polls until `check` holds; a process that dies meanwhile ends the wait with its own last words. */
export async function until(
  what: string,
  check: () => Promise<unknown>,
  options: { ms?: number; every?: number; watching?: RunningProcess[]; rethrow?: boolean; signal?: AbortSignal } = {},
): Promise<void> {
  const deadline = Date.now() + (options.ms ?? 120_000)
  let last: unknown
  let dead: RunningProcess | undefined
  for (const p of options.watching ?? []) void p.ended.then(() => (dead ??= p))
  for (;;) {
    options.signal?.throwIfAborted()
    try {
      if (await check()) return
      last = undefined
    } catch (error) {
      if (options.rethrow) throw error
      last = error
    }
    if (dead) throw new Error(`${dead.name} ended while waiting for ${what}:\n${dead.tail()}`)
    if (Date.now() > deadline) throw new Error(`Waited too long for ${what}${last ? `: ${String(last)}` : '.'}`)
    await new Promise((resolve) => setTimeout(resolve, options.every ?? 150))
  }
}
