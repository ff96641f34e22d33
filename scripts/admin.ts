import { existsSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { closeDatabase } from '@/lib/db/client'
import { runningUrl } from '@/lib/db/embedded'
import { env } from '@/lib/env'
import { errorText } from '@/lib/error-text'
import type { Ctx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import type { Command } from './support/admin-arguments'
import { COMMANDS } from './support/admin-commands'
import { openDatabase, prepareDataDir } from './support/database'
import { givenDatabase } from './support/environment'

/**
 * `npm run admin -- COMMAND`: the same verbs as the pages, for people with a shell on the machine.
 * Exit codes: 0 done, 1 refused or failed, 2 called wrongly; `plan` has more of its own.
 */
const [name, ...rest] = process.argv.slice(2)
const command: Command | undefined = name ? COMMANDS[name] : undefined
if (!command) {
  const list = Object.entries(COMMANDS).map(([key, { usage, what }]) => {
    const call = `${key} ${usage}`.trim()
    return `  ${call.length > 68 ? `${call}\n${' '.repeat(70)}` : call.padEnd(68)} ${what}`
  })
  const text = `npm run admin -- COMMAND\n\n${list.join('\n')}`
  if (!name || name === 'help' || name === '--help') console.log(text)
  else console.error(`There is no command ${name}.\n\n${text}`)
  process.exit(!name || name === 'help' || name === '--help' ? 0 : 2)
}

if (rest.includes('--help')) {
  console.log(`npm run admin -- ${name} ${command.usage}\n  ${command.what}`)
  process.exit(0)
}

const dir = env().DRYDOCK_DATA_DIR
let stop = async (): Promise<void> => {}
let code = 0
try {
  const running = givenDatabase() ?? runningUrl(join(dir, 'postgres'))
  if (running) {
    process.env.DATABASE_URL = running
  } else {
    if (command.existing && !existsSync(join(dir, 'postgres')))
      throw new ServiceError('not-found', `There is no database in ${resolve(dir)}.`, {
        hint: 'Set DRYDOCK_DATA_DIR to the directory of this Drydock, or DATABASE_URL to its database.',
      })
    prepareDataDir(dir)
  }
  stop = (await openDatabase(dir, () => {})).stop
  code = await command.run(cliCtx(), rest, (line) => console.log(line))
} catch (error) {
  code = explain(error)
} finally {
  await closeDatabase()
  await stop()
}
process.exit(code)

/** Whoever has a shell here may do everything; the audit names the account and the machine. */
function cliCtx(): Ctx {
  const who = `${userName()}@${hostname()}`
  return { actor: { kind: 'cli', id: `cli:${who}`, name: who, role: 'admin' } }
}

/** In a container the user may have a number only. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.()}`
  }
}

function explain(error: unknown): number {
  if (error instanceof ServiceError) {
    const { hint, answer, fields } = error.more
    console.error(error.message)
    for (const { field, message } of fields ?? [])
      if (message !== error.message) console.error(`  ${field}: ${message}`)
    if (answer) console.error(`The API server answered: ${answer}`)
    if (hint) console.error(hint)
    return 1
  }
  const { code } = error as Error & { code?: string }
  console.error(errorText(error as Error))
  if (code?.startsWith('ERR_PARSE_ARGS')) {
    console.error(`npm run admin -- ${name} ${command!.usage}`)
    return 2
  }
  return 1
}
