import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Tx } from '@/lib/db/client'
import type { RolloutPolicy } from '@/lib/db/generated/client'
import { ServiceError, type FieldProblem } from '../errors'
import { stored } from './save-policy'
import { SavePolicyInput } from './schemas'
import { placeWords } from './unknown-words'
import { policiesIn } from './yaml'

const MOST = 200

type Wish = z.infer<typeof SavePolicyInput>

/** The policies of a YAML text; else every reason why it cannot be saved, each with its line. */
export function policiesOf(text: string): Wish[] {
  const { written, problems } = policiesIn(text)
  if (written.length > MOST)
    throw new ServiceError('invalid', `At most ${MOST} policies at once.`, { hint: 'Nothing was saved.' })
  const fields: FieldProblem[] = problems.map(({ line, message }) => ({ field: `line ${line}`, message }))
  const wishes = written.flatMap(({ lineOf, name, spec }) => {
    const parsed = SavePolicyInput.safeParse({ name, spec })
    if (parsed.success) return [parsed.data]
    for (const issue of parsed.error.issues) {
      const path = issue.path[0] === 'spec' ? issue.path.slice(1) : issue.path
      const said = placeWords(path)
      const line = lineOf([...path, ...wordIn(issue)])
      fields.push({ field: `line ${line}`, message: said ? `${said}: ${issue.message}` : issue.message })
    }
    return []
  })
  const names = wishes.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice)
    fields.push({ field: 'text', message: `${twice} stands there twice: leave one out, or name it otherwise.` })
  if (fields.length === 0 && wishes.length === 0) fields.push({ field: 'text', message: 'There is no policy in it.' })
  if (fields.length === 0) return wishes
  throw new ServiceError(
    'invalid',
    fields.length === 1 ? inFull(fields[0]!) : `${fields.length} things are wrong in it:`,
    {
      ...(fields.length > 1 ? { fields } : {}),
      hint: 'Nothing was saved.',
    },
  )
}

const inFull = ({ field, message }: FieldProblem): string => (field === 'text' ? message : `${field}: ${message}`)

/** The word that it does not know, where that is what is wrong. */
function wordIn(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.slice(0, 1)
  const key: unknown = issue.code === 'custom' ? issue.params?.key : undefined
  return typeof key === 'string' ? [key] : []
}

/** One policy of an import, beside what is there under its name. */
export interface Imported {
  wish: Wish
  row: RolloutPolicy | null
  /** same: it says already what is there, and nothing is written. */
  is: 'new' | 'changed' | 'same'
}

/** What an import would make of what is there. */
export async function compared(tx: Tx, wishes: readonly Wish[]): Promise<Imported[]> {
  const there = await tx.rolloutPolicy.findMany({ where: { name: { in: wishes.map(({ name }) => name) } } })
  return wishes.map((wish) => {
    const row = there.find(({ name }) => name === wish.name) ?? null
    if (!row) return { wish, row, is: 'new' }
    return { wish, row, is: isDeepStrictEqual(row.spec, stored(wish.spec)) ? 'same' : 'changed' }
  })
}
