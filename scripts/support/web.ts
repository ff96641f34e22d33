import { request } from 'undici'
import { keepRunning, type Kept } from './keep'
import { NEXT } from './paths'

export interface WebOptions {
  port: number
  host: string
  dev?: boolean
  say: (line: string) => void
}

export function startWeb({ port, host, dev, say }: WebOptions): Kept {
  return keepRunning({
    name: 'web process',
    args: [NEXT, dev ? 'dev' : 'start', '--port', String(port), '--hostname', host],
    env: { NODE_ENV: dev ? 'development' : 'production', NEXT_TELEMETRY_DISABLED: '1' },
    // Next's greeting names addresses of its own; ours follows when the pages answer.
    passes: dev ? undefined : (line) => line.startsWith('{'),
    say,
  })
}

/** Waits until the pages answer. */
export async function webReady(port: number, host: string): Promise<void> {
  const address = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}/api/health`
  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      const { statusCode, body } = await request(address, { headersTimeout: 5_000 })
      await body.dump()
      if (statusCode === 200) return
    } catch {
      // not yet
    }
    if (Date.now() > deadline) throw new Error(`The web process does not answer on ${address}.`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
