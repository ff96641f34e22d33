import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { conditionOf } from './controllers/conditions'
import type { Machine, MachineDeployment } from './controllers/kinds'
import { MACHINES, MACHINE_DEPLOYMENTS } from './controllers/names'
import { playScenario, startSandbox, type RunningSandbox } from './index'
import { ADMIN } from './testing/extension'
import { until } from './testing/until'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function directory() {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-'))
  cleanUps.push(() => rm(path, { recursive: true, force: true }))
  return path
}

async function start(options: Partial<Parameters<typeof startSandbox>[0]> = {}): Promise<RunningSandbox> {
  const sandbox = await startSandbox({ flavour: 'cluster-api', name: 'atlas', life: false, ...options })
  cleanUps.push(() => sandbox.stop())
  return sandbox
}

const group = (sandbox: RunningSandbox, key: string) =>
  sandbox.store.get(MACHINE_DEPLOYMENTS, key) as unknown as MachineDeployment

describe('the demo fleet', () => {
  it('is settled from the first moment, but for what is going on in it', async () => {
    const sandbox = await start({ speed: 10 })
    const stuck = () =>
      (sandbox.store.list(MACHINES, { namespace: 'media' }) as unknown as Machine[]).find(
        (m) => m.metadata.deletionTimestamp,
      )
    await until('the stuck one says why', () => (conditionOf(stuck(), 'Deleting')?.message ?? '').includes('encoder'))
    await until(
      'groups have said how they are',
      () => conditionOf(group(sandbox, 'media/media-batch-spot'), 'RollingOut') !== undefined,
    )
    // The one that is being updated says so a moment after its group has counted for the first time.
    await until('it is counted', () => group(sandbox, 'media/media-batch-spot').status?.availableReplicas === 8)
    expect(conditionOf(group(sandbox, 'media/media-batch-spot'), 'RollingOut')?.status).toBe('True')
    expect(group(sandbox, 'media/media-batch-spot').status).toMatchObject({
      replicas: 9,
      availableReplicas: 8,
      upToDateReplicas: 4,
    })
    expect(conditionOf(group(sandbox, 'search/search-eu-indexers'), 'RollingOut')?.status).toBe('True')
    const settled = () => group(sandbox, 'payments/payments-prod-workers-a').status
    await until('workers-a is settled', () => settled()?.observedGeneration !== undefined)
    expect(settled()).toMatchObject({ replicas: 12, availableReplicas: 12, upToDateReplicas: 12 })
  })

  it('the rollout in progress comes to its end', async () => {
    const sandbox = await start({ speed: 200 })
    await until(
      'all indexers are replaced',
      () => group(sandbox, 'search/search-eu-indexers').status?.upToDateReplicas === 12,
    )
    expect(group(sandbox, 'media/media-batch-spot').status?.upToDateReplicas).toBe(4)
  })

  it('the scenario is a change by gitops, once', async () => {
    const sandbox = await start()
    await playScenario(sandbox)
    const changed = group(sandbox, 'payments/payments-prod-workers-a')
    expect(changed.spec.template.spec.version).toBe('v1.34.2')
    expect(JSON.stringify(changed.metadata.managedFields)).toContain('gitops')
    const { resourceVersion } = group(sandbox, 'payments/payments-prod-workers-a').metadata
    await playScenario(sandbox)
    expect(group(sandbox, 'payments/payments-prod-workers-a').metadata.resourceVersion).toBe(resourceVersion)
  })
})

describe('a second start', () => {
  it('finds objects, address and identities again', async () => {
    const dataDir = await directory()
    const first = await startSandbox({ flavour: 'cluster-api', name: 'atlas', dataDir, life: false })
    await first.store.merge('namespaces', 'payments', { metadata: { labels: { mark: 'yes' } } }, ADMIN)
    const uids = first.store.list(MACHINES, { namespace: 'payments' }).map((m) => m.metadata.uid)
    await first.stop()
    const second = await start({ dataDir })
    expect(second.kubeconfig).toBe(first.kubeconfig)
    expect(second.adminKubeconfig).toBe(first.adminKubeconfig)
    expect(second.store.get('namespaces', 'payments')?.metadata.labels?.mark).toBe('yes')
    expect(second.store.list(MACHINES, { namespace: 'payments' }).map((m) => m.metadata.uid)).toEqual(uids)
    expect((await readdir(dataDir)).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  it('says what to do about a broken snapshot', async () => {
    const dataDir = await directory()
    const first = await startSandbox({ flavour: 'cluster-api', name: 'atlas', machines: 0, dataDir })
    await first.stop()
    const { writeFile } = await import('node:fs/promises')
    await writeFile(join(dataDir, 'objects.ndjson'), '{"resource": "nam')
    await expect(startSandbox({ flavour: 'cluster-api', name: 'atlas', dataDir })).rejects.toThrow(
      `remove ${dataDir} to begin anew`,
    )
  })
})

describe('as a process', () => {
  it('prints where it is, and stops on SIGTERM', async () => {
    const data = await directory()
    const child = spawn(process.execPath, ['--import', 'tsx', 'sandbox/main.ts', '--machines', '0', '--data', data], {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    cleanUps.push(async () => child.exitCode ?? child.kill('SIGKILL'))
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await until('the line is there', () => output.includes('\n'), 25_000)
    const said = JSON.parse(output) as { url: string; kubeconfig: string }
    expect(said.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await readFile(said.kubeconfig, 'utf8')).toContain(said.url)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it('refuses flags it does not understand', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'sandbox/main.ts', '--machines', 'many'], {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(2)
    expect(said).toContain('--machines is a number from 0 to 100000.')
  })
})
