import type { Json, JsonObject } from '../../../lib/domain/json'
import { isObject } from '../../apiserver/schema'
import { same } from '../../apiserver/storage/values'
import type { ConfigurationForm } from '../machine-configuration'
import { ACTIONS, SOME, type Action } from './actions'
import { answerOf, type Answer } from './answer'
import { COLLECTION, type Ask } from './server'
import { statesOf, type State } from './states'

/** The answers to one action in one state. */
export interface Row {
  action: string
  state: string
  answer: Answer
  /** As dryRun=All, where it was asked and is another. */
  dry?: Answer
  /** As dryRun=All with fieldValidation=Strict, where it was asked and is another. */
  strict?: Answer
}

/** Everything that is stored of MachineConfiguration "cluster" goes; then it is there in the state given. */
export async function enter(ask: Ask, { spec, status }: Pick<State, 'spec' | 'status'>): Promise<JsonObject> {
  await ask({ method: 'DELETE' })
  const made = await ask({
    method: 'POST',
    path: '',
    body: { apiVersion: 'operator.openshift.io/v1', kind: 'MachineConfiguration', metadata: { name: 'cluster' }, spec },
  })
  if (made.code !== 201) throw new Error(`A state cannot be made: ${JSON.stringify(made.body)}`)
  if (!status) return made.body
  const said = await ask({ path: 'cluster/status', body: { status } })
  if (said.code !== 200) throw new Error(`The status of a state cannot be made: ${JSON.stringify(said.body)}`)
  return said.body
}

/** What a step of one write is answered, dry and not, in every state where it is asked. */
export async function playMatrix(ask: Ask, form: ConfigurationForm): Promise<Row[]> {
  const rows: Row[] = []
  for (const state of statesOf(form)) {
    const begin = await enter(ask, state)
    let object = begin
    for (const action of ACTIONS) {
      if (action.only && !action.only.includes(state.name)) continue
      const { row, after } = await playAction(ask, action, state, object)
      rows.push(row)
      object = after ? await restore(ask, action, begin) : object
    }
    const { body } = await ask({ method: 'GET' })
    if (!same(body.spec, begin.spec) || !same(body.status, begin.status))
      throw new Error(`The state "${state.name}" did not stay: ${JSON.stringify(body)}`)
  }
  return rows
}

async function playAction(ask: Ask, { name, patch, status }: Action, state: State, before: JsonObject) {
  const write = (query: Record<string, string>) =>
    ask({ path: status ? 'cluster/status' : 'cluster', body: patch, query: { fieldManager: 'parity', ...query } })
  const answer = async (query: Record<string, string>): Promise<Answer> => answerOf(await write(query), before, patch)
  const twice = SOME.includes(state.name)
  const dry = twice && (await answer({ dryRun: 'All' }))
  const strict = twice && (await answer({ dryRun: 'All', fieldValidation: 'Strict' }))
  const real = await answer({})
  const unstored = { ...real, ...(real.stored === undefined ? {} : { stored: false }) }
  const row: Row = {
    ...{ action: name, state: state.name, answer: real },
    ...(dry && !same(dry, unstored) && { dry }),
    ...(strict && !same(strict, unstored) && { strict }),
  }
  return { row, after: real.stored === true }
}

/** Back to where a state began, by the half that the action wrote. */
async function restore(ask: Ask, { status }: Action, begin: JsonObject): Promise<JsonObject> {
  const half: Json = begin[status ? 'status' : 'spec'] ?? null
  const at = status ? '/status' : '/spec'
  const labels: Json[] = status ? [] : [{ op: 'add', path: '/metadata/labels', value: {} }]
  const body: Json[] = [...labels, { op: 'add', path: at, value: half }]
  const { code, body: object } = await ask({ type: 'json', path: `${COLLECTION}/cluster${status ? at : ''}`, body })
  if (code !== 200 || !isObject(object.metadata))
    throw new Error(`A state cannot be restored: ${JSON.stringify(object)}`)
  return object
}
