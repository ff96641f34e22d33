import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { installCrds, machineConfigurationCrd, type SkewVariant } from '@/testenv/crds'
import { until } from '@/testenv/process'
import { startTestenv, type RunningTestenv } from '@/testenv/up'
import { startApiServer } from '../apiserver'
import { ackOcp, byOcp, list, sets } from './parity/bodies'
import { enter } from './parity/matrix'
import { play } from './parity/play'
import { connect, type Ask, type Server } from './parity/server'
import { tableOf, textOf } from './parity/table'
import { openWatch } from './parity/watch'
import type { ConfigurationForm } from './machine-configuration'
import { openShiftResources } from './resources'

let testenv: RunningTestenv
let real: Server
let ask: Ask
let close: () => Promise<void>

beforeAll(async () => {
  // One of its own: CRDs are replaced, and policies refuse what others may have to write.
  testenv = await startTestenv({ bare: true, openshift: 'without' })
  real = { url: testenv.server, caPem: testenv.caPem, token: testenv.tokens.admin }
  ;({ ask, close } = connect(real))
})
afterAll(async () => {
  await close?.()
  await testenv?.stop()
})

const object = (spec: JsonObject): JsonObject => ({
  ...{ apiVersion: 'operator.openshift.io/v1', kind: 'MachineConfiguration', metadata: { name: 'probe' } },
  spec,
})
const STANZA = object({ bootImageSkewEnforcement: { mode: 'None' } })
const NONE = object({ managedBootImages: list(sets('None')) })
/** What each is answered with, strictly. */
const PROBES: Record<SkewVariant, [stanza: number, none: number]> = {
  with: [201, 201],
  without: [400, 201],
  '4.18': [400, 422],
}

/** The real CRD of that variant, from now on. */
async function serve(variant: SkewVariant): Promise<void> {
  await installCrds(testenv.admin, machineConfigurationCrd(variant))
  const query = { dryRun: 'All', fieldValidation: 'Strict' }
  await until(`MachineConfiguration ${variant}`, async () => {
    const answers = await Promise.all([STANZA, NONE].map((body) => ask({ method: 'POST', path: '', body, query })))
    return answers.map(({ code }) => code).join() === PROBES[variant].join()
  })
}

async function onSandbox(form: ConfigurationForm) {
  const sandbox = await startApiServer({ families: ['openshift'], resources: openShiftResources({ form }) })
  try {
    return await play({ url: sandbox.url, caPem: sandbox.caPem, token: sandbox.users.admin!.token }, form)
  } finally {
    await sandbox.stop()
  }
}

describe.each([
  ['4.18', '4.18'],
  ['without', 'without-skew'],
  ['with', 'with-skew'],
] as const)('MachineConfiguration %s', (variant, form) => {
  beforeAll(() => serve(variant))

  test('is answered by the sandbox as by the real API server, in every row', async () => {
    const [theirs, ours] = await Promise.all([play(real, form), onSandbox(form)])
    const table = tableOf(theirs, form)
    expect(tableOf(ours, form)).toEqual(table)
    // Kept for those who have no Go: `npm run test:cluster -- sandbox/openshift -u` writes what is answered now.
    const kept = join(import.meta.dirname, 'parity/tables', `${form}.json`)
    await expect(textOf(table)).toMatchFileSnapshot(kept)
  }, 600_000)
})

test('a watch ends without an error when the CRD is replaced, and what is no longer known goes with the first write', async () => {
  await serve('with')
  await enter(ask, { spec: { bootImageSkewEnforcement: byOcp() }, status: null })
  const watch = await openWatch(real)
  await serve('without')
  expect(await watch.ended()).toEqual([])
  const read = async () => (await ask({ method: 'GET' })).body.spec
  expect(await read()).toEqual({ logLevel: 'Normal', operatorLogLevel: 'Normal' })
  await ask({ body: { metadata: { labels: { touched: 'yes' } } } })
  await serve('with')
  expect(await read()).toEqual({ logLevel: 'Normal', operatorLogLevel: 'Normal' })
  expect((await ask({ body: ackOcp() })).body.spec).toMatchObject({ bootImageSkewEnforcement: byOcp() })
})
