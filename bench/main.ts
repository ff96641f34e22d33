import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readArgs } from '@/scripts/support/args'
import { bootImages } from './boot-images'
import { gate } from './gate'
import { js } from './js'
import { list } from './list'
import { plan } from './plan'
import { pools } from './pools'
import { scheduler } from './scheduler'
import { simulate } from './simulate'
import { stream } from './stream'
import { sync } from './sync'

/** Loopback only; nothing is left behind. What the figures mean: docs/performance.md. */
const BENCHES: Record<string, { machines: number; run(machines: number): Promise<Record<string, number>> }> = {
  sync: { machines: 10_000, run: sync },
  stream: { machines: 10_000, run: stream },
  list: { machines: 50_000, run: list },
  js: { machines: 100, run: js },
  plan: { machines: 30_000, run: plan },
  simulate: { machines: 30_000, run: simulate },
  scheduler: { machines: 10_000, run: scheduler },
  gate: { machines: 1_000, run: gate },
  'boot-images': { machines: 500, run: bootImages },
  pools: { machines: 500, run: pools },
}
const USAGE = `npm run bench -- sync|stream|list|js|plan|simulate|scheduler|gate|boot-images|pools [--machines N] [--json FILE]
  sync    from an empty table to every machine in Postgres, against fetching and parsing alone
  stream  from a change on the API server to the announcement, and to the browser's stream
  list    the machines' list over HTTP
  js      JavaScript of the first page, gzipped
  plan    change sets, verdicts and outlooks of a fleet in groups of a hundred, and in three groups
  simulate  one group played forward to its end
  scheduler  so many groups in fifty waves: a round of the worker, and from a wave being through to the next one open
  gate    so many groups that ask the update gate at once, and a hundred questions a second
  boot-images  so many OpenShift clusters' boot images over HTTP, with eight machine sets each
  pools  so many OpenShift clusters' pools over HTTP, with a hundred nodes each
N from 100 to 100000. list, js, boot-images, pools and the browser's stream need a build: npm run build`
/** Nothing here takes so long; a bench that hangs ends, and what it started ends with it. */
const LIMIT_MS = 15 * 60_000

const { positionals, values } = readArgs(USAGE, () =>
  parseArgs({
    allowPositionals: true,
    options: { machines: { type: 'string' }, json: { type: 'string' }, help: { type: 'boolean' } },
  }),
)
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const bench = positionals.length === 1 ? BENCHES[positionals[0]!] : undefined
const machines = Number(values.machines ?? bench?.machines)
if (!bench || !Number.isInteger(machines) || machines < 100 || machines > 100_000) {
  console.error(USAGE)
  process.exit(2)
}
setTimeout(() => {
  console.error(`The bench took longer than ${LIMIT_MS / 60_000} minutes.`)
  process.exit(1)
}, LIMIT_MS).unref()
// Ctrl-C: what was started ends with its guard, and the folders go.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  const result = await bench.run(machines)
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(28)} ${value}`)
  if (values.json) writeFileSync(values.json, JSON.stringify(result, null, 2) + '\n')
  process.exit(0)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
