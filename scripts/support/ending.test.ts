import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Ended, Ending } from './ending'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe('an ending', () => {
  it('stops in the opposite order, once, and goes on where one of them fails', async () => {
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
    const ending = new Ending()
    const order: string[] = []
    for (const name of ['database', 'broken', 'web']) {
      ending.add(async () => {
        order.push(name)
        if (name === 'broken') throw new Error('It does not stop.')
      })
    }
    await Promise.all([ending.run(), ending.run()])
    expect(order).toEqual(['web', 'broken', 'database'])
    expect(complaints).toHaveBeenCalledTimes(1)
    complaints.mockRestore()
  })

  it('stops what was still starting, waits for that, and lets its starter go no further', async () => {
    const ending = new Ending()
    let open!: () => void
    const opening = new Promise<void>((resolve) => (open = resolve))
    const order: string[] = []
    const part = ending
      .runs(async () => {
        await opening
        ending.add(async () => {
          await new Promise((resolve) => setImmediate(resolve))
          order.push('database stopped')
        })
        order.push('worker started')
      })
      .catch((error: unknown) => order.push(error instanceof Ended ? 'gave up' : String(error)))
    const end = ending.run().then(() => order.push('ended'))
    open()
    await Promise.all([part, end])
    expect(order).toEqual(['gave up', 'database stopped', 'ended'])
  })

  it('ends a wait that has nothing to stop', async () => {
    const ending = new Ending()
    expect(await ending.unless(Promise.resolve(1))).toBe(1)
    const never = ending.unless(new Promise(() => {}))
    await ending.run()
    await expect(never).rejects.toBeInstanceOf(Ended)
    await expect(ending.unless(new Promise(() => {}))).rejects.toBeInstanceOf(Ended)
    expect(ending.signal.aborted).toBe(true)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s in mid start leaves no process and no folder',
    async (signal) => {
      const { program, made } = midStart()
      const run = spawn(process.execPath, ['--import', 'tsx', program], { stdio: ['ignore', 'pipe', 'inherit'] })
      const said = wordsOf(run)
      await vi.waitUntil(() => /\d+\n/.test(said()), 20_000)
      await vi.waitUntil(() => childrenOf(run.pid!).length > 0, 20_000)
      const children = childrenOf(run.pid!)
      run.kill(signal)
      const code = await new Promise((resolve) => run.on('exit', resolve))
      expect(code).toBe(0)
      expect(said()).toMatch(/Stopping …/)
      expect(said()).not.toMatch(/went on/)
      expect(existsSync(made)).toBe(false)
      expect(children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
    },
  )

  it('ends everything where npm was ended and passed nothing on', async () => {
    const { program, made } = midStart(3_500)
    const command = `'${process.execPath}' --import tsx '${program}'; true`
    const env = { ...process.env, npm_lifecycle_event: 'demo' }
    const npm = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'], env })
    const said = wordsOf(npm)
    await vi.waitUntil(() => /\d+\n/.test(said()), 20_000)
    const pid = /\d+/.exec(said())![0]
    await vi.waitUntil(() => childrenOf(Number(pid)).length > 0, 20_000)
    const children = childrenOf(Number(pid))
    npm.kill('SIGKILL')
    await vi.waitUntil(() => !existsSync(`/proc/${pid}`), 20_000)
    expect(existsSync(made)).toBe(false)
    expect(children.filter((child) => existsSync(`/proc/${child}`))).toEqual([])
  })
})

/** A program in the middle of its start: one child runs, a folder is there, and the next thing never gets ready. */
function midStart(takesMs = 0): { program: string; made: string } {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-ending-'))
  folders.push(folder)
  const [program, made] = [join(folder, 'program.mts'), join(folder, 'made')]
  writeFileSync(
    program,
    `import { mkdirSync, rmSync } from 'node:fs'
import { Ending, main } from '${join(import.meta.dirname, 'ending.ts')}'
import { spawnGuarded } from '${join(import.meta.dirname, '../../lib/guarded.ts')}'
const ending = new Ending()
await main(ending, async () => {
  mkdirSync('${made}')
  const child = spawnGuarded('sleep', ['1000'], { signal: 'TERM', env: process.env })
  ending.add(async () => { await child.stop(); await new Promise((resolve) => setTimeout(resolve, ${takesMs})); rmSync('${made}', { recursive: true }) })
  setTimeout(() => console.log(process.pid), 50)
  await ending.unless(new Promise((resolve) => setTimeout(resolve, 1e6)))
  console.log('went on')
})
`,
  )
  return { program, made }
}

function wordsOf(run: ChildProcess): () => string {
  let said = ''
  run.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text))
  return () => said
}

/** The guarded sleepers below a process: neither the shells over them nor esbuild’s helper, which tsx brings. */
function childrenOf(pid: number): string[] {
  const below = (p: string): string[] => {
    const direct = readFileSync(`/proc/${p}/task/${p}/children`, 'utf8').trim().split(' ').filter(Boolean)
    return direct.flatMap((child) => [child, ...below(child)])
  }
  return below(String(pid)).filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').startsWith('sleep'))
}
