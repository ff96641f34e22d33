import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError, type FieldProblem } from '../errors'
import { namedOnce, oneWriter, write, type SavedPolicy } from './save-policy'
import { ImportPoliciesInput, SavePolicyInput } from './schemas'
import { policiesIn } from './yaml'

const MOST = 200

/** Saves every policy of a YAML text, or none: those with a name that is there get a new version. */
export async function importPolicies(ctx: Ctx, input: unknown): Promise<SavedPolicy[]> {
  requirePermission(ctx, 'policies:write')
  const { text } = parseInput(ImportPoliciesInput, input)
  const { written, problems } = policiesIn(text)
  const fields: FieldProblem[] = problems.map(({ line, message }) => ({ field: `line ${line}`, message }))
  const wishes = written.flatMap(({ line, name, spec }) => {
    const parsed = SavePolicyInput.safeParse({ name, spec })
    if (parsed.success) return [parsed.data]
    for (const { path, message } of parsed.error.issues)
      fields.push({ field: `line ${line}`, message: said(path, message) })
    return []
  })
  const names = wishes.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice) fields.push({ field: 'text', message: `${twice} stands there twice.` })
  if (written.length > MOST) fields.unshift({ field: 'text', message: `At most ${MOST} policies at once.` })
  if (fields.length === 0 && wishes.length === 0) fields.push({ field: 'text', message: 'There is no policy in it.' })
  if (fields.length > 0) {
    const [{ field, message }] = fields as [FieldProblem]
    throw new ServiceError('invalid', `${field === 'text' ? '' : `${field}: `}${message}`, {
      fields,
      hint: 'Nothing was saved.',
    })
  }
  return namedOnce(names.join(', '), () =>
    db().$transaction(async (tx) => {
      await oneWriter(tx)
      const there = await tx.rolloutPolicy.findMany({ where: { name: { in: names } } })
      const saved: SavedPolicy[] = []
      for (const wish of wishes) {
        const row = there.find(({ name }) => name === wish.name)
        saved.push(await write(tx, ctx, row ? { ...wish, policyId: row.id, version: row.version } : wish))
      }
      return saved
    }),
  )
}

/** Which field it is about, where it is about one. */
function said(path: readonly PropertyKey[], message: string): string {
  const field = path.filter((key) => key !== 'spec').join('.')
  return field ? `${field}: ${message}` : message
}
