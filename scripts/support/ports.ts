import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { freePort } from '@/lib/free-port'

/** Fails with a plain sentence where the port is taken. */
export function requireFree(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          error.code === 'EADDRINUSE'
            ? `Port ${port} is taken. Choose another with --port, or stop what uses it.`
            : `Cannot listen on ${host}:${port}: ${error.message}`,
        ),
      ),
    )
    server.listen(port, host, () => server.close(() => resolve()))
  })
}

/** A port number from the command line. */
export function parsePort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Error(`${text} is not a port: give a number from 1 to 65535.`)
}

/**
 * The port that this file remembers, chosen where there is none yet: whoever was told about it before finds it again.
 * Where somebody else has taken it since, another one is chosen, and whoever was told has to be told anew (`moved`).
 */
export async function keptPort(file: string): Promise<{ port: number; moved: boolean }> {
  const known = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  const same = known > 0 && (await isFree(known))
  const port = same ? known : await freePort()
  writeFileSync(file, String(port))
  return { port, moved: !same }
}

const isFree = (port: number): Promise<boolean> =>
  requireFree(port, '127.0.0.1').then(
    () => true,
    () => false,
  )
