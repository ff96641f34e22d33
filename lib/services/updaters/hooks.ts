import { ServiceError } from '../errors'
import { GROUP_KINDS, type UpdaterGroups } from './groups'
import { discover, forgetHandlers, UpdaterError } from './transport'

/** What Cluster API asks about each kind of group; UpdateMachine does the work of both. */
const QUESTION = { MachineDeployment: 'CanUpdateMachineSet', KubeadmControlPlane: 'CanUpdateMachine' } as const

const listed = (words: readonly string[]): string => words.join(' and ')

export interface Fitness {
  /** Why it can do nothing at all, in one sentence; null: it can do something. */
  problem: string | null
  /** What it cannot be used for, in one sentence; null: it is good for all that it is for. */
  notFor: string | null
}

/** What an updater with these handlers is good for, of the groups that it is for. */
export function fitnessOf(hooks: readonly string[], groups: UpdaterGroups | null): Fitness {
  const kinds = groups?.kinds?.length ? groups.kinds : GROUP_KINDS
  const without = kinds.filter((kind) => !hooks.includes(QUESTION[kind]))
  if (!hooks.includes('UpdateMachine'))
    return { problem: 'It does not handle UpdateMachine, so it can update no machine.', notFor: null }
  const missing = listed(without.map((kind) => QUESTION[kind]))
  const these = listed(without.map((kind) => `${kind}s`))
  if (without.length === kinds.length)
    return { problem: `It does not handle ${missing}, so it cannot be asked about ${these}.`, notFor: null }
  return {
    problem: null,
    notFor: without.length > 0 ? `It is not for ${these}: it does not handle ${missing}.` : null,
  }
}

/** Asks one that is to be saved what it handles, whatever was known. It must answer, and be good for something. */
export async function tried(
  wish: { name: string; url: string; caPem: string },
  groups: UpdaterGroups | null,
): Promise<{ hooks: string[]; ms: number }> {
  let hooks: string[]
  forgetHandlers(wish)
  const began = performance.now()
  try {
    hooks = (await discover(wish)).map((handler) => handler.hook)
  } catch (error) {
    if (!(error instanceof UpdaterError)) throw error
    throw new ServiceError('invalid', error.message, {
      hint: 'Check the address and the certificate authority; the worker must be able to reach it as well.',
      fields: [{ field: 'url', message: error.message }],
    })
  }
  const ms = Math.round(performance.now() - began)
  const { problem } = fitnessOf(hooks, groups)
  if (problem) throw new ServiceError('invalid', problem, { fields: [{ field: 'url', message: problem }] })
  return { hooks, ms }
}
