import { randomUUID } from 'node:crypto'
import type { Tx } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { kindOf, sentenceOf, type MessageBody, type MessageKind } from '@/lib/domain/messages'
import { env } from '@/lib/env'

interface About {
  kind: MessageKind
  /** "MachineDeployment prod/workers-a", or the name of a management cluster. */
  what: string
  since?: string | null
  /** Held, and not paused. */
  unpaused?: boolean
  cluster: string | null
  object: MessageBody['object']
  by: string | null
  path: string
}

export function messageOf({ kind, what, since = null, unpaused, path, ...about }: About): MessageBody {
  const base = env().DRYDOCK_URL
  return {
    ...{
      version: 1,
      id: randomUUID(),
      kind,
      at: new Date().toISOString(),
      sentence: sentenceOf(kind, what, since, unpaused),
    },
    ...about,
    link: base ? new URL(path, base).href : path,
  }
}

/** Written in the transaction of what it tells, and posted by a worker. Nothing where messages go nowhere. */
export async function queueMessage(tx: Tx, about: About): Promise<void> {
  if ((await tx.webhook.count()) === 0) return
  const body = messageOf(about)
  await tx.message.create({
    data: { id: body.id, kind: body.kind, body: body as unknown as Prisma.InputJsonObject },
  })
}

interface Recorded {
  action: string
  target: { kind: string; id: string; name: string }
  cluster?: { name: string } | null
  details?: Record<string, unknown>
  message?: { what: string; path: string }
}

/** What goes on record, and is worth a message. */
export async function queueRecorded(tx: Tx, actor: { kind: string; name: string }, entry: Recorded): Promise<void> {
  const kind = kindOf(entry.action)
  if (!kind) return
  const { target, cluster, details, message } = entry
  const [namespace = '', name = ''] = target.name.split('/')
  await queueMessage(tx, {
    ...{ kind, what: message?.what ?? `${target.kind} ${target.name}`, cluster: cluster?.name ?? null },
    unpaused: details?.unpaused === true,
    since: typeof details?.since === 'string' ? details.since : null,
    object: { kind: target.kind, namespace, name },
    by: actor.kind === 'user' ? actor.name : null,
    path: message?.path ?? `/updates/${target.id}`,
  })
}
