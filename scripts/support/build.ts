import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { spawnGuarded } from '@/lib/guarded'
import type { Ending } from './ending'
import { NEXT, ROOT } from './paths'

const SOURCES = [
  'app',
  'components',
  'lib',
  'public',
  'proxy.ts',
  'instrumentation.ts',
  'next.config.js',
  'package-lock.json',
]

export const distDir = (): string => process.env.NEXT_DIST_DIR ?? '.next'

/** Whether the pages are built, and from what lies here now. */
export function isBuilt(): boolean {
  const built = join(ROOT, distDir(), 'BUILD_ID')
  if (!existsSync(built)) return false
  const when = statSync(built).mtimeMs
  return SOURCES.every((source) => newest(join(ROOT, source)) <= when)
}

/** Builds the pages where there is no build, or one that is older than the sources. Ends with our process. */
export async function ensureBuild(say: (line: string) => void, ending: Ending): Promise<void> {
  if (isBuilt()) return
  requireWritable()
  say('Building the pages, once: half a minute, a minute or two on a small machine …')
  const started = Date.now()
  const seconds = (): number => Math.round((Date.now() - started) / 1000)
  const progress = setInterval(() => say(`  still building, ${seconds()} s so far`), 20_000)
  const log = join(mkdtempSync(join(tmpdir(), 'drydock-build-')), 'log')
  const out = openSync(log, 'w')
  const env = { ...process.env, NODE_ENV: 'production' as const, NEXT_TELEMETRY_DISABLED: '1' }
  const build = spawnGuarded(process.execPath, [NEXT, 'build'], { signal: 'TERM', cwd: ROOT, env, out, err: out })
  let ok = false
  try {
    ending.add(() => build.stop())
    ok = (await build.ended) === 0
    if (!ok && !ending.begun) throw new Error(`The pages could not be built:\n${readFileSync(log, 'utf8').trimEnd()}`)
  } finally {
    clearInterval(progress)
    closeSync(out)
    rmSync(dirname(log), { recursive: true, force: true })
    // A build that was cut short must not look like a finished one.
    if (!ok) rmSync(join(ROOT, distDir(), 'BUILD_ID'), { force: true })
  }
  if (ok) say(`Built in ${seconds()} s.`)
}

function requireWritable(): void {
  const folder = [join(ROOT, distDir()), ROOT].find((path) => existsSync(path))!
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new Error(
      `The pages have to be built first, and this user may not write to ${folder}. ` +
        'Run npm run build once as its owner, or use a checkout of your own.',
    )
  }
}

function newest(path: string): number {
  if (!existsSync(path)) return 0
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  if (path.endsWith('lib/db/generated')) return 0
  // Tests are no part of the build; a folder's own time shows what was deleted from it.
  const names = readdirSync(path).filter((name) => !/\.test\.tsx?$/.test(name))
  return Math.max(found.mtimeMs, ...names.map((name) => newest(join(path, name))))
}
