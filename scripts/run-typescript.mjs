import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
if (!existsSync(join(root, 'node_modules/tsx'))) {
  console.error('The packages are not installed. Run npm ci first.')
  process.exit(1)
}
if (!clientFits()) {
  console.error('The database client is not made from this schema. Run npm ci, without --ignore-scripts.')
  process.exit(1)
}
const file = resolve(process.argv[2])
process.argv.splice(1, 2, file)
await import('tsx')
await import(pathToFileURL(file).href)

/** After a pull without npm ci, everything that writes a new column would fail again and again, late and at length. */
function clientFits() {
  try {
    const client = readFileSync(join(root, 'lib/db/generated/internal/class.ts'), 'utf8')
    const [, schema] = /"inlineSchema": ("(?:[^"\\]|\\.)*")/.exec(client) ?? []
    const plain = (text) => text.replace(/\s+/g, ' ')
    return plain(JSON.parse(schema)) === plain(readFileSync(join(root, 'prisma/schema.prisma'), 'utf8'))
  } catch {
    return false
  }
}
