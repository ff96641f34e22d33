import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { stream } from './stream'
import { sync } from './sync'

/** npm run bench -- sync|stream [--machines N] [--json FILE]. Loopback only; nothing is left behind. */
const BENCHES: Record<string, (machines: number) => Promise<Record<string, number>>> = { sync, stream }
const USAGE = 'npm run bench -- sync|stream [--machines N] [--json FILE], N from 100 to 100000'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { machines: { type: 'string', default: '10000' }, json: { type: 'string' } },
})
const bench = BENCHES[positionals[0] ?? '']
const machines = Number(values.machines)
if (!bench || !Number.isInteger(machines) || machines < 100 || machines > 100_000) {
  console.error(USAGE)
  process.exit(2)
}
const result = await bench(machines)
for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(24)} ${value}`)
if (values.json) writeFileSync(values.json, JSON.stringify(result, null, 2) + '\n')
process.exit(0)
