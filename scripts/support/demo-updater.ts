import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from '@/sandbox/apiserver/tls'
import type { Ending } from './ending'
import { keptPort } from './ports'
import { startAndWait } from './ready-line'

export interface DemoUpdater {
  url: string
  caPem: string
}

/** The reference updater, with a certificate and a port that stay the same from start to start. */
export async function startDemoUpdater(dir: string, adminKubeconfig: string, ending: Ending): Promise<DemoUpdater> {
  const folder = join(dir, 'updater')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = (name: string): string => join(folder, name)
  if (!existsSync(file('server.key'))) {
    const { caPem, certPem, keyPem } = await makeCertificate()
    writeFileSync(file('ca.pem'), caPem)
    writeFileSync(file('server.pem'), certPem)
    writeFileSync(file('server.key'), keyPem, { mode: 0o600 })
  }
  writeFileSync(file('nodes.kubeconfig'), adminKubeconfig, { mode: 0o600 })
  const { port } = await keptPort(file('port'))
  const args = [
    '--cert',
    file('server.pem'),
    '--key',
    file('server.key'),
    '--port',
    String(port),
    '--nodes-by',
    file('nodes.kubeconfig'),
  ]
  await startAndWait('examples/updater/main.ts', args, /^Listening on /, ending)
  return { url: `https://127.0.0.1:${port}`, caPem: readFileSync(file('ca.pem'), 'utf8') }
}
