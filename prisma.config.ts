import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'prisma/config'

// Prisma's CLI downloads a native engine; where it could not, the same engine as Wasm answers through a shim.
const engines = join(import.meta.dirname, 'node_modules/@prisma/engines')
const native = existsSync(engines) && readdirSync(engines).some((f) => f.startsWith('schema-engine-'))
if (!native) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= join(import.meta.dirname, 'tools/prisma-schema-engine.mjs')

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
