import type { Tx } from '@/lib/db/client'
import type { RolloutPolicy } from '@/lib/db/generated/client'
import type { Policy } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { SpecInput } from './schemas'

/** A policy that something else than Drydock wrote. What it was to forbid is not known, so nothing is decided without it. */
class UnreadablePolicy extends ServiceError {
  constructor(name: string) {
    super('conflict', `The policy ${name} cannot be read, so nobody knows what it asks for.`, {
      hint: 'Its row in the database was changed by something else than Drydock. Edit or remove it on the page Policies.',
    })
  }
}

type Row = Pick<RolloutPolicy, 'id' | 'name' | 'version' | 'spec'>

/** A row as a policy; null: it cannot be read. */
export function policyOf({ id, name, version, spec }: Row): Policy | null {
  const parsed = SpecInput.safeParse(spec)
  return parsed.success ? { id, name, version, spec: parsed.data } : null
}

/** Nobody decides anything then. */
export const anyUnreadable = async (tx: Tx): Promise<boolean> => (await stored(tx)).some(({ policy }) => !policy)

/** All policies, for those who decide by them. Throws UnreadablePolicy; not for those that are being written anew. */
export async function readPolicies(tx: Tx, anew: readonly string[] = []): Promise<Policy[]> {
  return readable(await stored(tx), anew)
}

/**
 * All policies for who saw this word of POLICIES_WORD in a statement of its own: as it says, or as they were written since. Of a burst
 * that saw a new one, one reads them. Throws UnreadablePolicy.
 */
export async function policiesBy(tx: Tx, word: string): Promise<Policy[]> {
  if (!known.has(word)) {
    const first = reading.get(word) ?? stored(tx).finally(() => reading.delete(word))
    reading.set(word, first)
    await first
  }
  const kept = known.get(word)
  return kept ? readable(kept) : readPolicies(tx)
}
const reading = new Map<string, Promise<Read[]>>()

const readable = (read: readonly Read[], anew: readonly string[] = []): Policy[] =>
  read.flatMap(({ id, name, policy }) => {
    if (!policy && !anew.includes(id)) throw new UnreadablePolicy(name)
    return policy ?? []
  })

interface Read {
  id: string
  name: string
  policy: Policy | null
}

/** What all policies say, as one word: who writes to the table past Drydock need not raise a version. */
export const POLICIES_WORD = `SELECT encode(sha256(convert_to(coalesce(string_agg(
  jsonb_build_array(id, name, version, spec)::text, ',' ORDER BY name), ''), 'UTF8')), 'hex') AS word FROM rollout_policy`

export async function policiesWord(tx: Tx): Promise<string> {
  const [now] = await tx.$queryRawUnsafe<{ word: string }[]>(POLICIES_WORD)
  return now!.word
}

const ROWS = `SELECT id::text, name, version, spec, (${POLICIES_WORD}) AS word FROM rollout_policy ORDER BY name`

/** By that word. A few: a transaction that writes policies sees others than those beside it. */
const known = new Map<string, Read[]>()
const MOST = 4

/** The policies that are stored now. They are asked for at every question of the gate, and read anew only where they say something else. */
async function stored(tx: Tx): Promise<Read[]> {
  const kept = known.get(await policiesWord(tx))
  if (kept) return kept
  // Written since, maybe: kept by the word of what this very statement saw.
  const rows = await tx.$queryRawUnsafe<(Row & { word: string })[]>(ROWS)
  const read = rows.map((row) => ({ id: row.id, name: row.name, policy: frozen(policyOf(row)) }))
  if (known.size >= MOST) known.clear()
  if (rows[0]) known.set(rows[0].word, read)
  return read
}

/** What is kept is everybody's: nobody writes into it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
