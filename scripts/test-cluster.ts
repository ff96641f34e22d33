import { spawnSync } from 'node:child_process'
import { createConnection } from 'node:net'
import { buildTestenv, goProblem, moduleDir } from '@/testenv/build'

/**
 * `npm run test:cluster [-- vitest arguments]`: the suites against the real API server and managers.
 * Four runs, each with an environment of its own: what can share one, what changes the whole cluster, what kills and
 * stops things, and what needs the managers without in-place updates.
 */
const OWN = ['.alone.cluster.test.ts', '.faults.cluster.test.ts', '.gates-off.cluster.test.ts']
const RUNS = [
  { name: 'shared', files: [], exclude: OWN.map((suffix) => `**/*${suffix}`), gates: 'on' },
  { name: 'alone', files: ['.alone.cluster.test.ts'], exclude: [], gates: 'on' },
  { name: 'faults', files: ['.faults.cluster.test.ts'], exclude: [], gates: 'on' },
  { name: 'gates off', files: ['.gates-off.cluster.test.ts'], exclude: [], gates: 'off' },
]

const problem = goProblem()
if (problem) {
  console.error(problem)
  process.exit(1)
}
await buildTestenv(console.log)
// Fetched now: a run of its own network has no way to the module proxy.
for (const name of ['sigs.k8s.io/cluster-api', 'sigs.k8s.io/cluster-api/test', 'github.com/openshift/api'])
  moduleDir(name)

const busy = await portTaken(19000)
const isolate = process.platform === 'linux' && process.getuid?.() === 0 && !process.env.DATABASE_URL
if (busy && !isolate) {
  console.error(
    'Port 19000 is taken, probably by another test environment: the in-memory provider always listens there.',
  )
  console.error(
    'Stop the other one (Ctrl-C in its terminal), or run this as root on Linux, where it gets a network of its own.',
  )
  process.exit(1)
}

const given = process.argv.slice(2)
let code = 0
for (const run of RUNS) {
  const filters = given.filter((a) => !a.startsWith('-'))
  const options = given.filter((a) => a.startsWith('-'))
  const args = ['vitest', 'run', '--project', 'cluster', '--passWithNoTests', ...options]
  for (const pattern of run.exclude) args.push('--exclude', pattern)
  if (run.files.length) {
    const wanted = filters.length === 0 ? run.files : filters.filter((f) => f.includes(run.files[0]!))
    if (wanted.length === 0) continue
    args.push(...wanted)
    if (run.name === 'alone') args.push('--no-file-parallelism')
  } else {
    const others = RUNS.flatMap((r) => r.files)
    const wanted = filters.filter((f) => !others.some((other) => f.includes(other)))
    if (filters.length > 0 && wanted.length === 0) continue
    args.push(...wanted)
  }
  console.log(`\n── ${run.name}: ${args.slice(1).join(' ')}`)
  const [command, ...rest] = isolate
    ? ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', 'npx', ...args]
    : ['npx', ...args]
  const done = spawnSync(command!, rest, {
    stdio: 'inherit',
    env: { ...process.env, DRYDOCK_TESTENV_GATES: run.gates },
  })
  code ||= done.status ?? 1
}
process.exit(code)

function portTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.on('connect', () => (socket.destroy(), resolve(true)))
    socket.on('error', () => resolve(false))
  })
}
