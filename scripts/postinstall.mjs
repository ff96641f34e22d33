// Generates the Prisma client where the CLI is installed; a production install (`--omit=dev`) ships a built one.
import { existsSync } from 'node:fs'
import { spawnSync } from 'node:child_process'

if (existsSync('node_modules/prisma') && existsSync('prisma/schema.prisma')) {
  const run = spawnSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], { stdio: 'inherit' })
  process.exit(run.status ?? 1)
}
