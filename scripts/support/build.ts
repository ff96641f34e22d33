import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { spawnGuarded } from '@/lib/guarded'
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

/** Builds the pages where there is no build, or one that is older than the sources. Ends with our process. */
export async function ensureBuild(say: (line: string) => void): Promise<void> {
  const built = join(ROOT, distDir(), 'BUILD_ID')
  if (existsSync(built)) {
    const when = statSync(built).mtimeMs
    if (SOURCES.every((source) => newest(join(ROOT, source)) <= when)) return
  }
  say('Building the pages (once, about 20 s) …')
  const started = Date.now()
  const log = join(mkdtempSync(join(tmpdir(), 'drydock-build-')), 'log')
  const out = openSync(log, 'w')
  const env = { ...process.env, NODE_ENV: 'production' as const, NEXT_TELEMETRY_DISABLED: '1' }
  const build = spawnGuarded(process.execPath, [NEXT, 'build'], { signal: 'TERM', cwd: ROOT, env, out, err: out })
  try {
    if ((await build.ended) !== 0) throw new Error(`The pages could not be built:\n${readFileSync(log, 'utf8')}`)
  } finally {
    closeSync(out)
    rmSync(dirname(log), { recursive: true, force: true })
  }
  say(`Built in ${Math.round((Date.now() - started) / 1000)} s.`)
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
