import { setTimeout as wait } from 'node:timers/promises'
import type { Json, JsonObject } from '../../../lib/domain/json'
import { isObject } from '../../apiserver/schema'
import { same } from '../../apiserver/storage/values'
import type { ConfigurationForm } from '../machine-configuration'
import { answerOf, sorted, type Answer, type Before } from './answer'
import { enter, playMatrix, type Row } from './matrix'
import { OWNERS } from './owners'
import { PLATFORMS, RIGHTS } from './rights'
import { PRESENCE, SEQUENCES, VERSIONS } from './scenarios'
import { connect, type Ask, type Reply, type Server } from './server'
import type { Scenario, Step } from './step'

/** The platforms come last: their policies would refuse what others do. */
const SCENARIOS: Scenario[] = [...PRESENCE, ...VERSIONS, ...SEQUENCES, ...OWNERS, ...RIGHTS, ...PLATFORMS]

export interface Said {
  scenario: string
  step: string
  answer: Answer & { owners?: Json }
}

export interface Played {
  rows: Row[]
  said: Said[]
}

/** The whole table on a server that serves MachineConfiguration in this form. */
export async function play(server: Server, form: ConfigurationForm): Promise<Played> {
  const { ask, close } = connect(server)
  try {
    return { rows: await playMatrix(ask, form), said: await playScenarios(ask, form === 'with-skew') }
  } finally {
    await close()
  }
}

const MS = 60_000

/** What every call of the scenarios is answered, in their order. */
async function playScenarios(ask: Ask, enforcement: boolean): Promise<Said[]> {
  const said: Said[] = []
  for (const scenario of SCENARIOS) {
    await begin(ask, scenario)
    for (const step of scenario.steps) {
      if (step.enforced && !enforcement) continue
      said.push({ scenario: scenario.name, step: step.name, answer: await take(ask, step) })
    }
  }
  return said
}

async function begin(ask: Ask, { start }: Scenario) {
  await ask({ method: 'DELETE', path: 'other' })
  if (start) await enter(ask, { spec: start.spec, status: start.status ?? null })
  else await ask({ method: 'DELETE' })
}

async function take(ask: Ask, step: Step): Promise<Said['answer']> {
  const { name: _, body, until, enforced: __, ...call } = step
  const path = call.path?.startsWith('/') ? undefined : call.path?.split('/')[0]
  const read = async (): Promise<Before> => {
    const { code, body: object } = await ask({ method: 'GET', path: path || 'cluster' })
    return code === 200 ? object : null
  }
  const before = await read()
  const given = typeof body === 'function' ? body(before ?? {}) : body
  const reply = await repeated(() => ask({ ...call, body: given }), until)
  const patch = call.type === undefined && isObject(given) ? given : undefined
  const answer = answerOf(reply, before, patch)
  const owners = ownersOf(reply.body)
  return { ...answer, ...(reply.body.kind === 'MachineConfiguration' && !same(owners, ownersOf(before)) && { owners }) }
}

async function repeated(ask: () => Promise<Reply>, until: Step['until']): Promise<Reply> {
  for (const deadline = Date.now() + MS; ; await wait(100)) {
    const reply = await ask()
    const come = typeof until === 'string' ? String(reply.body.message).includes(until) : reply.code === until
    if (until === undefined || come) return reply
    if (Date.now() > deadline) throw new Error(`Not ${until} in time: ${JSON.stringify(reply)}`)
  }
}

/** Who holds which fields, in the order of their names. */
function ownersOf(object: Before): JsonObject {
  const metadata = isObject(object?.metadata) ? object.metadata : {}
  const entries = (Array.isArray(metadata.managedFields) ? metadata.managedFields : []) as JsonObject[]
  const named = entries.map(({ manager, operation, subresource, fieldsV1 }): [string, Json] => [
    [manager, operation, subresource].filter(Boolean).join(' '),
    fieldsV1 ?? null,
  ])
  return sorted(Object.fromEntries(named)) as JsonObject
}
