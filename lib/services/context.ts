import * as z from 'zod'
import { storableDeep } from '@/lib/domain/text'
import { ServiceError } from './errors'

export const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** Who acts. Loaded from the session (or the command line), never from input. */
export interface Actor {
  kind: 'user' | 'system' | 'cli'
  id: string
  name: string
  role: Role
}

/** What every verb gets first. */
export interface Ctx {
  actor: Actor
}

/** Which role may do what: the one readable table. Each role also has what the ones before it have. */
const GRANTS = {
  viewer: ['fleet:read', 'activity:read'],
  operator: ['changes:reject', 'skew:act', 'pools:act', 'changes:plan'],
  approver: ['changes:approve', 'changes:override', 'changes:roll-back', 'pools:resume'],
  admin: ['clusters:write', 'updaters:write', 'policies:write', 'users:write', 'messages:write', 'audit:verify'],
} as const satisfies Record<Role, readonly string[]>

export type Permission = (typeof GRANTS)[Role][number]

/** Whether a role holds a permission. */
export function may(role: Role, permission: Permission): boolean {
  return ROLES.slice(0, ROLES.indexOf(role) + 1).some((r) => (GRANTS[r] as readonly string[]).includes(permission))
}

/** First line of every verb. Throws `forbidden` with the role that would be needed. */
export function requirePermission(ctx: Ctx, permission: Permission): void {
  if (may(ctx.actor.role, permission)) return
  const needed = ROLES.find((role) => may(role, permission))
  throw new ServiceError('forbidden', `This needs the role ${needed}; you are ${ctx.actor.role}.`, {
    hint: 'Ask an administrator of Drydock to change your role.',
  })
}

/** First line of a verb that is for several parts: throws where a role has no permission of any; the part's own is asked for later. */
export function requireSome(ctx: Ctx, permissions: readonly Permission[]): void {
  const held = permissions.find((permission) => may(ctx.actor.role, permission))
  requirePermission(ctx, held ?? permissions[0]!)
}

/** Second line of every verb: zod, with one sentence per field. Strings come out as the database will give them back. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(storableDeep(input))
  if (parsed.success) return parsed.data
  const byField = new Map<string, string>()
  for (const issue of parsed.error.issues) {
    const field = issue.path.join('.')
    if (!byField.has(field)) byField.set(field, issue.message)
  }
  const fields = [...byField].map(([field, message]) => ({ field, message }))
  throw new ServiceError('invalid', fields[0]?.message ?? 'The input is not valid.', { fields })
}

/** The worker acting on its own: recovery, release of a reverted hold, checks. */
export function systemCtx(name: string): Ctx {
  return { actor: { kind: 'system', id: `system:${name}`, name: `drydock ${name}`, role: 'admin' } }
}
