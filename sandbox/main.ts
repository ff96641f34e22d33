import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startSandbox } from './index'
import { PLATFORM_NAMES } from './openshift'

const USAGE = `Usage: tsx sandbox/main.ts [--flavour cluster-api|openshift] [--name NAME] [--platform NAME] [--release X.Y.Z]
  [--machines N] [--seed N] [--speed N] [--port N] [--data DIR] [--no-in-place] [--no-policies] [--kubernetes VERSION]
SANDBOX_SPEED is the speed where --speed is not given.
Prints one line of JSON with the address and the kubeconfig files when it is ready, and stops on SIGTERM.`

function refuse(why: string): never {
  console.error(`${why}\n${USAGE}`)
  process.exit(2)
}

function options() {
  try {
    return parseArgs({
      options: {
        flavour: { type: 'string', default: 'cluster-api' },
        name: { type: 'string' },
        platform: { type: 'string', default: 'AWS' },
        release: { type: 'string' },
        machines: { type: 'string' },
        seed: { type: 'string', default: '1' },
        speed: { type: 'string', default: process.env.SANDBOX_SPEED ?? '1' },
        port: { type: 'string', default: '0' },
        data: { type: 'string' },
        'no-in-place': { type: 'boolean', default: false },
        'no-policies': { type: 'boolean', default: false },
        kubernetes: { type: 'string' },
      },
    }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const values = options()
const { flavour } = values
if (flavour !== 'cluster-api' && flavour !== 'openshift') refuse('--flavour is cluster-api or openshift.')
const platform =
  PLATFORM_NAMES.find((known) => known === values.platform) ?? refuse(`--platform is ${PLATFORM_NAMES.join(', ')}.`)
if (values.release !== undefined && !/^\d+\.\d+\.\d+$/.test(values.release))
  refuse('--release is a version like 4.18.20.')
const number = (flag: string, text: string, least: number, most: number, whole = true): number => {
  const value = Number(text)
  if (!Number.isFinite(value) || value < least || value > most || (whole && !Number.isInteger(value)))
    refuse(`${flag} is a number from ${least} to ${most}.`)
  return value
}

const name = values.name ?? (flavour === 'openshift' ? 'tidal' : 'atlas')
const data = values.data ?? join('.drydock', 'sandbox', name)
const sandbox = await startSandbox({
  flavour,
  name,
  platform,
  release: values.release,
  machines: values.machines === undefined ? undefined : number('--machines', values.machines, 0, 100_000),
  seed: number('--seed', values.seed, 0, 2 ** 31),
  speed: number('--speed', values.speed, 0.01, 1000, false),
  port: number('--port', values.port, 0, 65_535),
  inPlace: !values['no-in-place'],
  policies: !values['no-policies'],
  kubernetes: values.kubernetes,
  dataDir: data,
  log: (line) => console.error(line),
})

mkdirSync(data, { recursive: true, mode: 0o700 })
const kubeconfig = join(data, 'drydock.kubeconfig')
const adminKubeconfig = join(data, 'admin.kubeconfig')
writeFileSync(kubeconfig, sandbox.kubeconfig, { mode: 0o600 })
writeFileSync(adminKubeconfig, sandbox.adminKubeconfig, { mode: 0o600 })
console.log(JSON.stringify({ name, flavour, url: sandbox.url, kubeconfig, adminKubeconfig }))

let stopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    sandbox.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
}
