import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawnGuarded } from '@/lib/guarded'

const HERE = import.meta.dirname
const KUBERNETES = 'v1.36.3'
export const CLUSTER_API = 'v1.14.0'

// Without these a manager refuses to start: the server's version would be a placeholder.
const kubernetes = versionFlags('k8s.io/component-base/version', KUBERNETES)
const clusterApi = versionFlags('sigs.k8s.io/cluster-api/version', CLUSTER_API)

const BINARIES: Record<string, { source: string; flags: string }> = {
  etcd: { source: './etcd', flags: '' },
  'kube-apiserver': { source: 'k8s.io/kubernetes/cmd/kube-apiserver', flags: kubernetes },
  kubectl: { source: 'k8s.io/kubernetes/cmd/kubectl', flags: kubernetes },
  'capi-core': { source: 'sigs.k8s.io/cluster-api/core', flags: clusterApi },
  'capi-bootstrap': { source: 'sigs.k8s.io/cluster-api/bootstrap/kubeadm', flags: clusterApi },
  'capi-controlplane': { source: 'sigs.k8s.io/cluster-api/controlplane/kubeadm', flags: clusterApi },
  'capi-infrastructure': { source: 'sigs.k8s.io/cluster-api/test/infrastructure/docker', flags: clusterApi },
}

function versionFlags(path: string, version: string): string {
  const [major, minor] = version.slice(1).split('.')
  return `-X ${path}.gitVersion=${version} -X ${path}.gitMajor=${major} -X ${path}.gitMinor=${minor}`
}

/** Why the binaries cannot be built here, in one sentence; null where they can. */
export function goProblem(): string | null {
  const how = 'Install Go 1.26 or later (https://go.dev/dl/), or run `npm test`, which needs none.'
  let version: string
  try {
    version = execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return `Go is missing: the real management cluster is built from Go modules. ${how}`
  }
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? []
  if (Number(major) > 1 || Number(minor) >= 26) return null
  return `Go 1.26 is needed for the real management cluster; this is ${version}. ${how}`
}

/** The binaries' folder, keyed by everything that goes into them. */
export function binaryDir(): string {
  const hash = createHash('sha256').update(JSON.stringify([BINARIES, process.platform, process.arch]))
  for (const file of ['go.mod', 'go.sum', 'etcd/main.go']) hash.update(readFileSync(join(HERE, file)))
  return join(HERE, '.bin', hash.digest('hex').slice(0, 16))
}

interface Build {
  signal?: AbortSignal
  /** Also kubectl, which is for people: no test needs it. */
  kubectl?: boolean
}

/** Builds what is missing: about 7 minutes with a cold build cache on 2 cores, once. Returns the folder. */
export async function buildTestenv(
  say: (line: string) => void = () => {},
  { signal, kubectl = false }: Build = {},
): Promise<string> {
  const out = binaryDir()
  const needed = Object.keys(BINARIES).filter((name) => kubectl || name !== 'kubectl')
  const missing = needed.filter((name) => !existsSync(join(out, name)))
  if (missing.length === 0) return out
  const problem = goProblem()
  if (problem) throw new Error(problem)
  mkdirSync(out, { recursive: true })
  say(`Building ${missing.join(', ')} from Go modules; with a cold build cache this takes about 7 minutes, once.`)
  for (const name of missing) {
    const partial = join(out, `.${name}.${process.pid}`)
    const { source, flags } = BINARIES[name]!
    try {
      await go(['build', '-trimpath', '-ldflags', `-s -w ${flags}`, '-o', partial, source], signal)
      renameSync(partial, join(out, name)) // a build that was cut short leaves nothing that looks finished
    } finally {
      rmSync(partial, { force: true })
    }
    say(`  built ${name}`)
  }
  return out
}

/** Ends with our process, and when it is aborted. */
async function go(args: string[], signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const build = spawnGuarded('go', args, { signal: 'INT', cwd: HERE, env: process.env, err: 'pipe' })
  const stop = (): void => void build.stop()
  signal?.addEventListener('abort', stop, { once: true })
  let words = ''
  build.process.stderr?.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-4000)))
  const code = await build.ended
  signal?.removeEventListener('abort', stop)
  signal?.throwIfAborted()
  if (code !== 0) throw new Error(`go ${args[0]} ${args.at(-1)}: ${words}`)
}

/**
 * Folder of a module's files: other projects' CRDs and golden files are read there, never copied. `of`: the folder below
 * this one whose go.mod says which version.
 */
export function moduleDir(module: string, of = ''): string {
  const options = { cwd: join(HERE, of), encoding: 'utf8' } as const
  const find = () => execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', module], options).trim()
  const dir = find()
  if (dir) return dir
  execFileSync('go', ['mod', 'download', module], { cwd: options.cwd, stdio: 'ignore' })
  return find()
}
