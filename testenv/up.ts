import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@/lib/free-port'
import { createKubeClient } from '@/lib/kubernetes/client'
import type { KubeClient } from '@/lib/kubernetes/types'
import { buildTestenv, goProblem } from './build'
import { showManagers } from './deployments'
import {
  clusterApiCrds,
  installCrds,
  installWebhooks,
  MANAGERS,
  openshiftCrds,
  type Manager,
  type SkewVariant,
} from './crds'
import { grantDrydock, IDENTITIES, kubeconfigFor, writeTokens, type Identity } from './identities'
import { IN_PLACE, startManagers, WITHOUT_IN_PLACE, type Gates, type RunningManagers } from './managers'
import { writePki } from './pki'
import { portTaken, until, type RunningProcess } from './process'
import { startApiServer, startEtcd } from './server'

const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces' }

export interface TestenvOptions {
  gates?: Gates
  /** Feature gates for in-place updates on (the default) or off. */
  inPlace?: boolean
  /** Kept where given; otherwise a temporary folder that goes with the environment. */
  dir?: string
  /** OpenShift's CRDs too: those of today, or with MachineConfiguration as given. */
  openshift?: boolean | SkewVariant
  /** Without Cluster API: only etcd and the API server. */
  bare?: boolean
  apiPort?: number
  say?: (line: string) => void
  /** Gives up, and leaves nothing running, when it is aborted. */
  signal?: AbortSignal
}

export interface RunningTestenv {
  dir: string
  bin: string
  server: string
  caPem: string
  kubeconfigs: Record<Identity, string>
  tokens: Record<Identity, string>
  admin: KubeClient
  inPlace: boolean
  client(identity: Identity): KubeClient
  restartManagers(gates: Gates): Promise<void>
  /** Resolves with a sentence when a process ended that should not have. */
  failed: Promise<string>
  stop(): Promise<void>
}

/** The in-memory provider always listens there. */
const PROVIDER_PORT = 19000

/** Why no environment can start here, in one sentence; null where it can. */
export async function testenvProblem(): Promise<string | null> {
  if (await portTaken(PROVIDER_PORT)) {
    return (
      `Port ${PROVIDER_PORT} is taken, probably by another test environment: Cluster API’s in-memory provider always ` +
      'listens there. Stop the other one first (Ctrl-C in its terminal).'
    )
  }
  // Go is needed with finished binaries, too: CRDs are read from its modules.
  return goProblem()
}

/** etcd, kube-apiserver and the four unmodified Cluster API managers on loopback: ready in 5 to 10 s, under 1 GiB. */
export async function startTestenv(options: TestenvOptions = {}): Promise<RunningTestenv> {
  const say = options.say ?? (() => {})
  const { signal } = options
  const problem = options.bare ? null : await testenvProblem()
  if (problem) throw new Error(problem)
  const bin = await buildTestenv(say, { signal })
  say('Starting etcd and kube-apiserver, then the Cluster API managers: 10 s to a minute …')
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'drydock-testenv-'))
  mkdirSync(dir, { recursive: true })
  const pki = await writePki(join(dir, 'pki'))
  const tokens = writeTokens(join(dir, 'pki', 'tokens.csv'))
  const port = options.apiPort ?? (await freePort())
  const server = `https://127.0.0.1:${port}`
  const ids = Object.keys(IDENTITIES) as Identity[]
  const kubeconfigs = {} as Record<Identity, string>
  for (const id of ids) kubeconfigs[id] = kubeconfigFor(server, pki.caPem, IDENTITIES[id].user, tokens[id])
  const kubeconfig = join(dir, 'kubeconfig')
  writeFileSync(kubeconfig, kubeconfigs.admin, { mode: 0o600 })

  const clients: KubeClient[] = []
  const client = (id: Identity) => {
    const made = createKubeClient({ server, caPem: pki.caPem, token: tokens[id] })
    clients.push(made)
    return made
  }
  const admin = client('admin')
  const processes: RunningProcess[] = []
  let managers: RunningManagers | undefined
  const stop = async () => {
    await Promise.all(clients.map((c) => c.close()))
    await managers?.stop()
    for (const p of [...processes].reverse()) await p.stop()
    if (!options.dir) rmSync(dir, { recursive: true, force: true })
  }
  const gates = options.gates ?? (options.inPlace === false ? WITHOUT_IN_PLACE : IN_PLACE)
  try {
    const etcd = await startEtcd(bin, dir)
    processes.push(etcd.process)
    const api = startApiServer(bin, dir, etcd.url, port)
    processes.push(api)
    await until('the API server', () => admin.get(NAMESPACES, 'kube-system'), { watching: processes, signal })
    say('The API server answers.')
    const ports = {} as Record<Manager, number>
    for (const name of MANAGERS) ports[name] = await freePort()
    const crds = [
      ...(options.bare ? [] : clusterApiCrds(ports, pki.caPem)),
      ...(options.openshift ? openshiftCrds(options.openshift === true ? 'with' : options.openshift) : []),
    ]
    await installCrds(admin, crds)
    say(`${crds.length} CRDs are established.`)
    await grantDrydock(admin, Boolean(options.openshift))
    if (!options.bare) {
      managers = await startManagers({ bin, dir, kubeconfig, ports, gates, signal })
      await showManagers(admin, gates)
      signal?.throwIfAborted()
      await installWebhooks(admin, ports, pki.caPem)
      say('The Cluster API managers are ready.')
    }
  } catch (error) {
    await stop()
    throw error
  }
  const failed = Promise.race(processes.map((p) => p.ended.then(() => `${p.name} has ended:\n${p.tail()}`)))
  return {
    ...{ dir, bin, server, caPem: pki.caPem, kubeconfigs, tokens, admin, client, failed, stop },
    inPlace: gates.InPlaceUpdates === true,
    restartManagers: async (next) => {
      await managers?.restart(next)
      await showManagers(admin, next)
    },
  }
}
