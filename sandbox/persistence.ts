import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ServerCertificate } from './apiserver/tls'
import type { Seed } from './fleets'
import type { Store } from './types'

export interface Identity {
  port: number
  certificate: ServerCertificate
  tokens: Record<string, string>
}

/** Made by the server itself at every start. */
const NOT_KEPT = new Set(['customresourcedefinitions.apiextensions.k8s.io'])
const LINES_AT_ONCE = 200

async function replace(path: string, write: (temporary: string) => Promise<void>) {
  const temporary = `${path}.new`
  await write(temporary)
  await rename(temporary, path)
}

const TIME = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"/g
const MACHINES = new Set(['machines.cluster.x-k8s.io', 'machines.machine.openshift.io'])

/** A machine that was coming up goes on coming up: while the sandbox was stopped, no time passed for it. */
function later(seed: Seed, ms: number): Seed {
  if (!MACHINES.has(seed.resource) || seed.object.status?.nodeRef) return seed
  const moved = (text: string) => `"${new Date(Date.parse(text.slice(1, -1)) + ms).toISOString().slice(0, 19)}Z"`
  const { metadata, status } = seed.object
  return {
    ...seed,
    object: {
      ...seed.object,
      metadata: { ...metadata, creationTimestamp: JSON.parse(moved(`"${metadata.creationTimestamp}"`)) as string },
      ...(status ? { status: JSON.parse(JSON.stringify(status).replace(TIME, moved)) as typeof status } : {}),
    },
  }
}

/** A sandbox on disk: who it is, and what it holds. A crash leaves the last whole snapshot. */
export class Persistence {
  private readonly identityPath: string
  private readonly objectsPath: string

  constructor(private readonly directory: string) {
    this.identityPath = join(directory, 'identity.json')
    this.objectsPath = join(directory, 'objects.ndjson')
  }

  async identity(): Promise<Identity | undefined> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    try {
      return JSON.parse(await readFile(this.identityPath, 'utf8')) as Identity
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw new Error(`${this.identityPath} cannot be read: remove ${this.directory} to begin anew.`, { cause: error })
    }
  }

  async keepIdentity(identity: Identity) {
    await replace(this.identityPath, (path) => writeFile(path, JSON.stringify(identity), { mode: 0o600 }))
  }

  async objects(): Promise<Seed[] | undefined> {
    const found: Seed[] = []
    try {
      // First, for a stream that nobody listens to yet ends the process where there is no file.
      const down = Date.now() - (await stat(this.objectsPath)).mtimeMs
      for await (const line of createInterface({ input: createReadStream(this.objectsPath, 'utf8') }))
        if (line) found.push(later(JSON.parse(line) as Seed, down))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw new Error(`${this.objectsPath} cannot be read: remove ${this.directory} to begin anew.`, { cause: error })
    }
    return found
  }

  /** Gives the event loop back between lines: a large fleet takes a while to write. */
  async keepObjects(store: Store, resources: string[]) {
    await replace(this.objectsPath, async (path) => {
      const file = await open(path, 'w', 0o600)
      try {
        let lines: string[] = []
        for (const resource of resources) {
          if (NOT_KEPT.has(resource)) continue
          for (const object of store.list(resource)) {
            lines.push(JSON.stringify({ resource, object }))
            if (lines.length < LINES_AT_ONCE) continue
            await file.appendFile(`${lines.join('\n')}\n`)
            lines = []
          }
        }
        if (lines.length > 0) await file.appendFile(`${lines.join('\n')}\n`)
        await file.sync()
      } catch (error) {
        await rm(path, { force: true })
        throw error
      } finally {
        await file.close()
      }
    })
  }
}

/** Writes a snapshot some time after a change, never two at once. */
export function writeBehind(
  store: Store,
  persistence: Persistence,
  resources: () => string[],
  log: (line: string) => void,
) {
  let dirty = true
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  const flush = () => {
    timer = undefined
    if (!dirty) return
    dirty = false
    const started = Date.now()
    writing = persistence
      .keepObjects(store, resources())
      .catch((error) => log(`snapshot: ${String(error)}`))
      .then(() => {
        writing = undefined
        // A snapshot that takes long is made less often.
        schedule(2_000 + 10 * (Date.now() - started))
      })
  }
  const schedule = (ms: number) => {
    if (dirty && !timer && !writing) timer = setTimeout(flush, ms)
  }
  const unsubscribe = store.subscribe(() => {
    dirty = true
  })
  const ticker = setInterval(() => schedule(1_000), 1_000)
  return async () => {
    unsubscribe()
    clearInterval(ticker)
    clearTimeout(timer)
    await writing
    clearTimeout(timer)
    await persistence.keepObjects(store, resources())
  }
}
