import { createInterface } from 'node:readline'
import { spawnGuarded, type Guarded } from '@/lib/guarded'
import { ROOT } from './paths'

export interface Kept {
  name: string
  stop(): Promise<void>
}

export interface KeepOptions {
  name: string
  args: string[]
  env?: NodeJS.ProcessEnv
  /** Which of its lines on standard output go on to ours; absent: all. */
  passes?: (line: string) => boolean
  say: (line: string) => void
}

/** Runs a node program and starts it again when it ends by itself: at once the first time, then with back-off. */
export function keepRunning({ name, args, env, passes, say }: KeepOptions): Kept {
  let stopping = false
  let current: Guarded
  let wake: (() => void) | undefined
  const loop = (async () => {
    for (let failures = 0; !stopping;) {
      const started = Date.now()
      const out = passes ? 'pipe' : 'inherit'
      current = spawnGuarded(process.execPath, args, {
        signal: 'TERM',
        cwd: ROOT,
        env: { ...process.env, ...env },
        out,
      })
      if (passes && current.process.stdout) {
        const lines = createInterface({ input: current.process.stdout })
        lines.on('line', (line) => passes(line) && process.stdout.write(line + '\n'))
      }
      const code = await current.ended
      if (stopping) return
      failures = Date.now() - started > 60_000 ? 0 : failures + 1
      const wait = failures <= 1 ? 0 : Math.min(500 * 2 ** (failures - 2), 30_000)
      say(`The ${name} ended (code ${code}); starting it again${wait ? ` in ${Math.ceil(wait / 1000)} s` : ''}.`)
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, wait)
      })
    }
  })()
  return {
    name,
    stop: async () => {
      stopping = true
      wake?.()
      await current.stop()
      await loop
    },
  }
}
