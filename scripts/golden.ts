import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { LogError, playLog, type Difference } from '@/lib/domain/rollout/golden'
import { readArgs } from './support/args'

/**
 * `npm run golden -- DIR`: plays logs of rollouts (files in DIR and below it that end in .test.log.golden) by our rules:
 * Cluster API's golden logs, and those that `npm run golden:record` made of real managers. Exit codes: 0 all as in the
 * logs, 1 one differs or there is none, 2 called wrongly.
 */
const USAGE = 'npm run golden -- DIR'
const SUFFIX = '.test.log.golden'

const { values, positionals } = readArgs(USAGE, () =>
  parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true }),
)
if (values.help) {
  console.log(`${USAGE}\n  Plays every *${SUFFIX} in DIR and below it by our rules, and compares line by line.`)
  process.exit(0)
}
const [dir, ...more] = positionals
if (dir === undefined || more.length > 0) {
  console.error(`Say one folder of logs.\n\n${USAGE}`)
  process.exit(2)
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(SUFFIX))
      .sort()
      .map((name) => join(folder, name))
  } catch (error) {
    console.error(`${folder} cannot be read as a folder: ${(error as Error).message}`)
    process.exit(2)
  }
}

function tell(file: string, { line, log, ours }: Difference) {
  console.log(`✗ ${file}, line ${line}`)
  console.log(`    log:  ${log ?? '(the log ends before)'}`)
  console.log(`    ours: ${ours ?? '(by our rules it ends before)'}`)
}

let failed = 0
const files = filesIn(dir)
for (const file of files) {
  const name = relative(dir, file)
  try {
    const difference = playLog(readFileSync(file, 'utf8'))
    if (!difference) continue
    tell(name, difference)
  } catch (error) {
    if (!(error instanceof LogError) && !(error as NodeJS.ErrnoException).code) throw error
    console.log(`✗ ${name}: ${(error as Error).message}`)
  }
  failed++
}
if (files.length === 0) console.error(`There is no file that ends in ${SUFFIX} in ${dir}.`)
console.log(`${files.length - failed} passed, ${failed} failed`)
process.exit(failed > 0 || files.length === 0 ? 1 : 0)
