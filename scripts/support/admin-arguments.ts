import { db } from '@/lib/db/client'
import type { Ctx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'

export interface Command {
  usage: string
  what: string
  /** It speaks of what is there: of a database that is made for it, it would say something that means nothing. */
  existing?: true
  /** Returns the exit code. */
  run(ctx: Ctx, args: string[], say: (line: string) => void): Promise<number>
}

/** It was called wrongly: the usage is shown, and the exit code is another one than for what failed. */
export const wronglyCalled = (message: string): Error => Object.assign(new Error(message), { code: 'ERR_PARSE_ARGS' })

export function one(positionals: string[], what: string): string {
  const [value, ...more] = positionals
  if (value && more.length === 0) return value
  throw wronglyCalled(value ? 'That is too much at once.' : `Say which ${what}.`)
}

export async function clusterByName(name: string): Promise<string> {
  const cluster = await db().managementCluster.findUnique({ where: { name }, select: { id: true } })
  if (!cluster) throw new ServiceError('not-found', `There is no management cluster ${name}.`)
  return cluster.id
}
