import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

if (!existsSync(join(import.meta.dirname, '../node_modules/tsx'))) {
  console.error('The packages are not installed. Run npm ci first.')
  process.exit(1)
}
if (!existsSync(join(import.meta.dirname, '../lib/db/generated/client.ts'))) {
  console.error(
    'The database client is not generated: npm ci does it, but not with --ignore-scripts. Run npm run db:generate.',
  )
  process.exit(1)
}
const file = resolve(process.argv[2])
process.argv.splice(1, 2, file)
await import('tsx')
await import(pathToFileURL(file).href)
