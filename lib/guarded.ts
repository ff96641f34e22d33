import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'

/**
 * A shell stands over the program and reads a pipe that nobody writes to. When our process ends, however it ends, the
 * pipe closes and the shell ends the program: a kill -9 of Drydock leaves no orphan. Closing the pipe is also how we
 * end it ourselves, so both ways are one. The program has a session of its own: Ctrl-C reaches only us, who stop in order.
 */
const GUARD = `sig=$1; shift
exec 3<&0
"$@" 3<&- </dev/null &
p=$!
( cat <&3 >/dev/null; kill -$sig $p; i=0; while kill -0 $p && [ $i -lt 300 ]; do sleep 0.05; i=$((i+1)); done; kill -KILL $p ) 2>/dev/null &
c=$!
wait $p
r=$?
kill $c 2>/dev/null
exit $r`

export interface GuardedOptions {
  /** What ends the program in order. */
  signal: 'TERM' | 'INT'
  env: NodeJS.ProcessEnv
  cwd?: string
  uid?: number
  gid?: number
  out?: number | 'inherit' | 'pipe'
  err?: number | 'inherit' | 'pipe'
}

export interface Guarded {
  process: ChildProcess
  /** Exit code, by itself or by `stop`. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

export function spawnGuarded(command: string, args: string[], options: GuardedOptions): Guarded {
  const { signal, out = 'inherit', err = 'inherit', ...rest } = options
  const stdio: StdioOptions = ['pipe', out, err]
  const child: ChildProcess = spawn('/bin/sh', ['-c', GUARD, 'sh', signal, command, ...args], {
    ...rest,
    stdio,
    detached: true,
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code))
    child.once('error', () => resolve(null))
  })
  child.stdin?.on('error', () => {}) // it ended before us
  return {
    process: child,
    ended,
    stop: async () => {
      child.ref() // whoever waits for the end stays alive for it
      child.stdin?.destroy()
      await ended
    },
  }
}
