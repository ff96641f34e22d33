import type { JsonObject } from '../../lib/domain/json'
import { templateOf } from './clones'
import type { Env } from './env'
import { decides, forHook, SET_NAMES } from './hooks/decide'
import { keyOf, type MachineSet } from './kinds'

/** Yes and no are remembered for a day per pair of sets; errors never. Lost at a restart. */
export type AnswerCache = Map<string, { canUpdate: boolean; until: number }>

const DAY = 24 * 3600

export async function canUpdateSet(
  env: Env,
  answers: AnswerCache,
  old: MachineSet,
  wanted: MachineSet,
  written: boolean,
): Promise<boolean> {
  const pair = `${keyOf(old)} => ${keyOf(wanted)}`
  const { namespace = '' } = old.metadata
  const objects = (set: MachineSet) => {
    const { spec } = set.spec.template
    const there = (ref: Parameters<typeof templateOf>[2]) => {
      const found = templateOf(env, namespace, ref)
      // As the real one: no plan at all, not even to replace.
      if (ref && !found) throw new Error(`failed to get ${ref.kind} from MachineSet ${set.metadata.name}`)
      return found
    }
    const infrastructure = there(spec.infrastructureRef)
    const bootstrap = there(spec.bootstrap.configRef)
    return infrastructure && { set, infrastructure, bootstrap }
  }
  const current = objects(old)
  const desired = objects(wanted)
  // Without both templates nobody can say what would change: replaced, and not even asked.
  if (!current || !desired || (current.bootstrap === undefined) !== (desired.bootstrap === undefined)) return false
  // What was answered counts only while somebody is there to answer.
  const handler = env.hooks.only('CanUpdateMachineSet', namespace)
  if (!handler) return false
  const known = answers.get(pair)
  if (known && known.until > Date.now()) return known.canUpdate
  const body = (of: typeof current): JsonObject => ({
    machineSet: forHook(of.set),
    infrastructureMachineTemplate: forHook(of.infrastructure),
    ...(of.bootstrap ? { bootstrapConfigTemplate: forHook(of.bootstrap) } : {}),
  })
  const request = { current: body(current), desired: body(desired) }
  const answer = await env.hooks.callHandler(handler, 'CanUpdateMachineSet', request)
  const canUpdate = decides(SET_NAMES, request.current, request.desired, answer)
  answers.set(pair, { canUpdate, until: Date.now() + env.clock.ms(DAY) })
  if (!written) forgetOthers(answers, keyOf(old), pair)
  return canUpdate
}

/** Names of sets that were never written are not asked about again. */
function forgetOthers(answers: AnswerCache, old: string, pair: string) {
  for (const [key, { until }] of answers)
    if (key !== pair && until <= Date.now() && key.startsWith(`${old} `)) answers.delete(key)
}
