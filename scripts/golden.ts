import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { LogError, playLog, type Difference } from '@/lib/domain/rollout/golden'
import { playTable, TABLE_NAMES, TableError, type Played } from '@/sandbox/openshift/golden'
import { readArgs } from './support/args'

/**
 * `npm run golden -- DIR`: plays what others decided by our rules. Logs of rollouts (files in DIR and below it that end in
 * .test.log.golden): Cluster API's golden logs, and those that `npm run golden:record` made of real managers. Tables of the
 * Machine Config Operator's decisions (skew.json, boot-images.json, boot-image-sequences.json), row by row. Exit codes: 0 all the same, 1 one differs or there
 * is none, 2 called wrongly.
 */
const USAGE = 'npm run golden -- DIR'
const SUFFIX = '.test.log.golden'

const { values, positionals } = readArgs(USAGE, () =>
  parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true }),
)
if (values.help) {
  console.log(`${USAGE}
  Plays every *${SUFFIX} in DIR and below it by our rules, and compares line by line;
  so it does with the rows of ${TABLE_NAMES.join(', ')}.`)
  process.exit(0)
}
const [dir, ...more] = positionals
if (dir === undefined || more.length > 0) {
  console.error(`Say one folder of logs or tables.\n\n${USAGE}`)
  process.exit(2)
}

const isTable = (name: string): boolean => TABLE_NAMES.includes(basename(name))

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(SUFFIX) || isTable(name))
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

function tellRow(file: string, { id, difference, exceptions }: Played) {
  if (difference) {
    console.log(`✗ ${file}, ${id}: ${difference.at}`)
    console.log(`    table: ${difference.table}`)
    console.log(`    ours:  ${difference.ours}`)
  }
  for (const { name, reason } of exceptions) console.log(`~ ${file}, ${id}: ${name}. ${reason}`)
}

const count = { passed: 0, failed: 0 }

function log(file: string, text: string) {
  const difference = playLog(text)
  if (difference) tell(file, difference)
  count[difference ? 'failed' : 'passed']++
}

async function table(file: string, text: string) {
  for (const row of await playTable(basename(file), text)) {
    tellRow(file, row)
    count[row.difference ? 'failed' : 'passed']++
  }
}

const files = filesIn(dir)
for (const file of files) {
  const name = relative(dir, file)
  try {
    const text = readFileSync(file, 'utf8')
    if (isTable(file)) await table(name, text)
    else log(name, text)
  } catch (error) {
    const known = error instanceof LogError || error instanceof TableError
    if (!known && !(error as NodeJS.ErrnoException).code) throw error
    console.log(`✗ ${name}: ${(error as Error).message}`)
    count.failed++
  }
}
if (files.length === 0)
  console.error(
    `There is nothing to play in ${dir}: no file that ends in ${SUFFIX}, and no ${TABLE_NAMES.join(', no ')}.`,
  )
console.log(`${count.passed} passed, ${count.failed} failed`)
process.exit(count.failed > 0 || files.length === 0 ? 1 : 0)
