import { spawn } from 'node:child_process'
import { createConnection } from 'node:net'
import { buildTestenv, goProblem, moduleDir } from '@/testenv/build'

/**
 * `npm run test:cluster [-- vitest arguments]`: the suites against the real API server and managers.
 * Ten runs, each with an environment of its own: what can share one; the gate, what is foretold (by strategy, and at
 * every turn that a rollout may take), control planes machine by machine, what policies say, and plans (a gate that is
 * registered is asked about every group); what changes the whole cluster; what kills and stops things; and what needs the
 * managers without in-place updates.
 */
const OWN = [
  { name: 'gate', files: 'testenv/gate.cluster', named: /gate(\.cluster|$)/, gates: 'on' },
  { name: 'foretold', files: 'testenv/foretold.cluster', named: /foretold/, gates: 'on' },
  { name: 'turns', files: 'testenv/turns.cluster', named: /turns/, gates: 'on' },
  { name: 'steps', files: 'testenv/steps.cluster', named: /steps(\.cluster|$)/, gates: 'on' },
  { name: 'policies', files: 'testenv/policies.cluster', named: /policies/, gates: 'on' },
  { name: 'plan', files: 'testenv/plan.cluster', named: /plan/, gates: 'on' },
  { name: 'alone', files: '.alone.cluster', named: /\.alone/, gates: 'on' },
  { name: 'faults', files: '.faults.cluster', named: /\.faults/, gates: 'on' },
  { name: 'gates off', files: '.gates-off.cluster', named: /\.gates-off/, gates: 'off' },
]
const SHARED = { name: 'shared', files: '', named: null, gates: 'on' }
const RUNS = [SHARED, ...OWN]

const problem = goProblem()
if (problem) {
  console.error(problem)
  process.exit(1)
}
await buildTestenv(console.log)
// Fetched now: a run of its own network has no way to the module proxy.
for (const name of ['sigs.k8s.io/cluster-api', 'sigs.k8s.io/cluster-api/test', 'github.com/openshift/api'])
  moduleDir(name)
for (const of of ['openshift-before', 'openshift-4.18']) moduleDir('github.com/openshift/api', of)

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
const filters = given.filter((a) => !a.startsWith('-'))
const options = given.filter((a) => a.startsWith('-'))
type Run = (typeof RUNS)[number]

/** What vitest is called with for one run; null: nothing of it was asked for. */
function argsOf(run: Run): string[] | null {
  const wanted = filters.filter((file) => run.named?.test(file) ?? !OWN.some(({ named }) => named.test(file)))
  if (filters.length > 0 && wanted.length === 0) return null
  const args = ['vitest', 'run', '--project', 'cluster', ...options]
  if (!run.files) for (const { files } of OWN) args.push('--exclude', `**/*${files.replace('testenv/', '')}.test.ts`)
  args.push(...(wanted.length || !run.files ? wanted : [run.files]))
  // Each registers a gate, of which a cluster has one, or changes the cluster as a whole.
  if (['alone', 'faults'].includes(run.name)) args.push('--no-file-parallelism')
  return args
}

/** One run to its end. `aside`: beside another one, so its output is kept and shown when it is complete. */
function start(run: Run, aside: boolean): Promise<number> {
  const args = argsOf(run)
  if (!args) return Promise.resolve(0)
  const title = `\n── ${run.name}: ${args.slice(1).join(' ')}\n`
  const [command, ...rest] = isolate
    ? ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', 'npx', ...args]
    : ['npx', ...args]
  if (!aside) process.stdout.write(title)
  const child = spawn(command!, rest, {
    stdio: aside ? ['inherit', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, DRYDOCK_TESTENV_GATES: run.gates },
  })
  const kept: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => kept.push(chunk))
  return new Promise((resolve) =>
    child.on('close', (code) => {
      if (aside) process.stdout.write(title + Buffer.concat(kept).toString())
      resolve(code ?? 1)
    }),
  )
}

async function inTurn(runs: Run[], aside: boolean): Promise<number[]> {
  const codes: number[] = []
  for (const run of runs) codes.push(await start(run, aside))
  return codes
}

// Waiting is most of what these do: where each has a network of its own, the faults run beside the others.
const faults = RUNS.filter((run) => run.name === 'faults')
const others = RUNS.filter((run) => run.name !== 'faults')
const both = isolate && faults.some(argsOf) && others.some(argsOf)
const codes = both
  ? (await Promise.all([inTurn(others, false), inTurn(faults, true)])).flat()
  : await inTurn(RUNS, false)
process.exit(codes.find((code) => code !== 0) ?? 0)

function portTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.on('connect', () => (socket.destroy(), resolve(true)))
    socket.on('error', () => resolve(false))
  })
}
