import { db } from '@/lib/db/client'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { lastRefusal } from '../audit/last-refusal'
import { recordAudit, type AuditEntry } from '../audit/record'
import type { Ctx } from '../context'
import { ServiceError } from '../errors'
import type { Say } from './apply'

/** The API server's own words under a sentence of ours; everything else stays what it is. */
export function latchError(error: unknown, sentence = 'The latch could not be checked.'): unknown {
  if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) return error
  const code = error instanceof KubeError ? 'refused' : 'unavailable'
  return new ServiceError(code, sentence, { answer: error.message })
}

/**
 * What came of it is on record, whatever it is, with all that was written before it failed; `sentence` says that it did. Where nothing was, the same
 * refusal again is not told: the keeper repeats it every few seconds.
 */
export async function outcome<T>(
  ctx: Ctx,
  audit: Omit<AuditEntry, 'result' | 'answer'>,
  sentence: string,
  work: (say: Say) => Promise<{ value: T; ok: boolean; refused?: boolean }>,
): Promise<T> {
  const answers: string[] = []
  const record = (result: AuditEntry['result'], answer: string) =>
    db().$transaction((tx) => recordAudit(tx, ctx, { ...audit, result, answer }))
  let done
  try {
    done = await work((answer) => answers.push(answer))
  } catch (thrown) {
    const error = latchError(thrown, sentence)
    const known = error instanceof ServiceError
    answers.push(known ? (error.more.answer ?? error.message) : 'Drydock itself failed; its log says why.')
    const answer = answers.join('\n')
    if (answer !== (await lastRefusal(audit.action, audit.target))) await record(known ? 'refused' : 'failed', answer)
    throw error
  }
  const answer = answers.join('\n')
  const again = done.refused && answer === (await lastRefusal(audit.action, audit.target))
  if (!again) await record(done.ok ? 'ok' : done.refused ? 'refused' : 'failed', answer)
  return done.value
}
