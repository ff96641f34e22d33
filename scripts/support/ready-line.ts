import { spawnGuarded, type Guarded } from '@/lib/guarded'
import type { Ending } from './ending'
import { ROOT, tsx } from './paths'

/** Starts one of our programs and waits for the line that says it is ready. It ends with the rest, also before that. */
export async function startAndWait(
  file: string,
  args: string[],
  ready: RegExp,
  ending: Ending,
): Promise<{ line: string; program: Guarded }> {
  const program = spawnGuarded(process.execPath, [...tsx(file), ...args], {
    signal: 'TERM',
    cwd: ROOT,
    env: process.env,
    out: 'pipe',
    err: 'pipe',
  })
  ending.add(() => program.stop())
  let errors = ''
  program.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000)
  })
  const line = await new Promise<string>((resolve, reject) => {
    let said = ''
    const late = setTimeout(() => reject(new Error(`${file} does not become ready.\n${errors}`)), 120_000)
    program.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-100_000)
      const found = said.split('\n').find((l) => ready.test(l))
      if (!found) return
      clearTimeout(late)
      resolve(found)
    })
    void program.ended.then((code) => {
      clearTimeout(late)
      reject(new Error(`${file} ended (code ${code}).\n${errors}`))
    })
  })
  return { line, program }
}
