import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { playLog } from '@/lib/domain/rollout/golden'
import { readArgs } from '@/scripts/support/args'
import { Ending, main } from '@/scripts/support/ending'
import { CLUSTER_API } from '../build'
import { connectTestCluster } from '../test-cluster'
import { startTestenv, testenvProblem } from '../up'
import { recordAll } from './record-all'
import { SCENARIOS } from './scenarios'

const USAGE = `npm run golden:record -- DIR [options]   rollouts on the real managers, recorded into DIR
  --only TEXT    those with TEXT in their title
  --at-once N    so many at a time (4)
  --list         only their titles`

/** Long enough for somebody to come in between. */
const UPDATER_MS = 6_000

const fileOf = (title: string) => `${title.replace(/[^\w %]/g, '')}.test.log.golden`

const ending = new Ending()

/** `npm run golden:record`: plays every scenario on a test environment of its own, writes its log, and plays it by our rules. */
await main(ending, async () => {
  const { values, positionals } = readArgs(USAGE, () =>
    parseArgs({
      options: {
        only: { type: 'string', default: '' },
        'at-once': { type: 'string', default: '4' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    }),
  )
  if (values.help) return console.log(USAGE)
  const scenarios = SCENARIOS.filter(({ title }) => title.includes(values.only))
  if (values.list) return console.log(scenarios.map(({ title }) => title).join('\n'))
  const [folder, ...more] = positionals
  const many = Number(values['at-once'])
  if (folder === undefined || more.length > 0 || !Number.isInteger(many) || many < 1)
    throw new Error(`Say one folder for the logs.\n\n${USAGE}`)
  if (scenarios.length === 0) throw new Error(`No scenario has “${values.only}” in its title.`)
  const problem = await testenvProblem()
  if (problem) throw new Error(problem)
  mkdirSync(folder, { recursive: true })
  const dir = mkdtempSync(join(tmpdir(), 'drydock-recording-'))
  ending.add(async () => rmSync(dir, { recursive: true, force: true }))
  const testenv = await startTestenv({ dir, say: console.log, signal: ending.signal })
  ending.add(() => testenv.stop())
  const { server, caPem, inPlace, tokens, kubeconfigs } = testenv
  const cluster = connectTestCluster({ server, caPem, inPlace, tokens, kubeconfigs, dir, control: '' })
  ending.add(() => cluster.stop())
  let failed = 0
  const recording = recordAll(cluster, scenarios, { many, updaterMs: UPDATER_MS }, ({ title }, log) => {
    if (log instanceof Error) {
      failed++
      return console.log(`✗ ${title}: ${log.message}`)
    }
    writeFileSync(join(folder, fileOf(title)), log)
    const difference = playLog(log)
    if (difference) failed++
    console.log(difference ? `✗ ${title}: otherwise by our rules, ${JSON.stringify(difference)}` : `✓ ${title}`)
  })
  await ending.unless(recording)
  console.log(
    `${scenarios.length - failed} of ${scenarios.length} recorded from Cluster API ${CLUSTER_API}, as our rules have them`,
  )
  await ending.run()
  process.exit(failed > 0 ? 1 : 0)
})
