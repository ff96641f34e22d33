import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readArgs } from '@/scripts/support/args'
import { Ending, main } from '@/scripts/support/ending'
import { parsePort, requireFree } from '@/scripts/support/ports'
import { buildTestenv } from './build'
import { startTestenv, testenvProblem } from './up'

const USAGE = `npm run testenv -- [options]   a real management cluster: etcd, kube-apiserver, Cluster API managers
  --port N               port of the API server (one that is free)
  --openshift            OpenShift’s CRDs too
  --without-in-place     the managers without their feature gates for in-place updates
  --dir FOLDER           logs and kubeconfigs go there and stay (otherwise they go at the end)`

const ending = new Ending()

/** `npm run testenv`: prints a kubeconfig, stays up, Ctrl-C ends everything. */
await main(ending, async () => {
  const { values } = readArgs(USAGE, () =>
    parseArgs({
      options: {
        dir: { type: 'string' },
        port: { type: 'string' },
        openshift: { type: 'boolean', default: false },
        'without-in-place': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }),
  )
  if (values.help) return console.log(USAGE)
  const apiPort = values.port === undefined ? undefined : parsePort(values.port)
  if (apiPort) await requireFree(apiPort, '127.0.0.1')
  const problem = await testenvProblem()
  if (problem) throw new Error(problem)
  const runs = join(import.meta.dirname, '.run')
  const dir = values.dir ?? join(runs, String(process.pid))
  if (existsSync(join(dir, 'etcd'))) throw new Error(`${dir} holds an earlier environment. Remove it, or give another.`)
  await buildTestenv(console.log, { signal: ending.signal, kubectl: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const started = Date.now()
  const testenv = await startTestenv({
    dir,
    apiPort,
    openshift: values.openshift,
    inPlace: !values['without-in-place'],
    say: console.log,
    signal: ending.signal,
  }).catch((error: unknown) => {
    if (ending.begun) leave()
    throw error
  })
  ending.add(async () => {
    await testenv.stop()
    leave()
  })
  for (const [identity, text] of Object.entries(testenv.kubeconfigs)) {
    writeFileSync(join(dir, `${identity}.kubeconfig`), text, { mode: 0o600 })
  }
  console.log(`Ready after ${((Date.now() - started) / 1000).toFixed(1)} s. Logs and the kubeconfigs are in ${dir}:
  drydock.kubeconfig     Drydock's own identity: connect this one
  admin.kubeconfig       an administrator who is not Drydock
  breakGlass.kubeconfig  an administrator of the break-glass group
  export KUBECONFIG=${join(dir, 'admin.kubeconfig')}
  ${join(testenv.bin, 'kubectl')} get clusters -A
Ctrl-C ends everything.`)

  // The processes' pipes do not keep this process alive by themselves.
  const alive = setInterval(() => {}, 1 << 30)
  const why = await testenv.failed
  clearInterval(alive)
  if (!ending.begun) throw new Error(why)

  function leave(): void {
    if (!values.dir) rmSync(dir, { recursive: true, force: true })
  }
})
