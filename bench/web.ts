import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLink } from '@/lib/auth/links'
import { signInWithLink } from '@/lib/auth/sign-in'
import { db } from '@/lib/db/client'
import { spawnGuarded } from '@/lib/guarded'
import { distDir, isBuilt } from '@/scripts/support/build'
import { NEXT, ROOT } from '@/scripts/support/paths'
import { freePort } from '@/lib/free-port'
import { webReady } from '@/scripts/support/web'

export interface BenchWeb {
  url: string
  /** Header of a signed-in session. */
  cookie: string
  stop(): Promise<void>
}

export const built = isBuilt
export const UNBUILT = `There is no production build in ${distDir()}, or one that is older than the sources: run npm run build first, or name another folder with NEXT_DIST_DIR.`

/** The production pages on a port of their own, over the database of this bench, and somebody who is signed in. */
export async function startBenchWeb(): Promise<BenchWeb> {
  const data = mkdtempSync(join(tmpdir(), 'drydock-bench-web-'))
  process.once('exit', () => rmSync(data, { recursive: true, force: true }))
  process.env.DRYDOCK_DATA_DIR = data
  const port = await freePort()
  const web = spawnGuarded(process.execPath, [NEXT, 'start', '--port', String(port), '--hostname', '127.0.0.1'], {
    signal: 'TERM',
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    out: 'pipe',
  })
  web.process.stdout?.resume()
  const stop = async () => {
    await web.stop()
    rmSync(data, { recursive: true, force: true })
  }
  try {
    await webReady(port, '127.0.0.1')
    return { url: `http://127.0.0.1:${port}`, cookie: await signedIn(), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function signedIn(): Promise<string> {
  const user = await db().user.create({
    data: { id: crypto.randomUUID(), name: 'Bench', email: 'bench@example.invalid', role: 'viewer' },
  })
  const token = await db().$transaction((tx) => createLink(tx, { userId: user.id }, 5))
  const cookies = await signInWithLink({ token, password: crypto.randomUUID() }, new Headers())
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ')
}
