import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ACTIONS, PAGES, ROUTES, type Door } from '@/e2e/support/access'
import { createLink } from '@/lib/auth/links'
import { setPassword } from '@/lib/auth/redeem-link'
import { signInWithLink } from '@/lib/auth/sign-in'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { may, ROLES, type Role } from '@/lib/services/context'

const from = vi.hoisted(() => ({ headers: new Headers() }))
vi.mock('next/headers', () => ({
  headers: async () => from.headers,
  cookies: async () => ({ set: () => {}, get: () => undefined, getAll: () => [] }),
}))

useTestDatabase()
process.env.DRYDOCK_SECRET = randomUUID() + randomUUID()
const cookies = {} as Record<Role, string>
const OWN = { host: 'localhost:1', origin: 'http://localhost:1' }

beforeAll(async () => {
  for (const role of ROLES) {
    const user = await db().user.create({ data: { id: randomUUID(), email: `${role}@example.com`, name: role, role } })
    const token = await db().$transaction(async (tx) => {
      await setPassword(tx, user.id, 'x')
      return createLink(tx, { userId: user.id }, 5)
    })
    cookies[role] = (await signInWithLink({ token }, new Headers())).map((line) => line.split(';')[0]).join('; ')
  }
})
afterEach(() => {
  from.headers = new Headers()
})

const APP = import.meta.dirname
const files = readdirSync(APP, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
const folder = (file: string): string =>
  '/' +
  dirname(file)
    .split('/')
    .filter((part) => part !== '.' && !/^\(.*\)$/.test(part))
    .join('/')
const source = (file: string): string => readFileSync(join(APP, file), 'utf8')
const seen = new Set<string>()
const named = (table: Record<string, Door>, key: string): Door => {
  seen.add(key)
  const door = table[key]
  if (!door) throw new Error(`${key} has no line in e2e/support/access.ts: say who may use it.`)
  return door
}
const lacking = (door: Door): Role[] => ROLES.filter((role) => door !== 'public' && !may(role, door))

describe('pages', () => {
  it.each(files.filter((file) => /(^|\/)page\.tsx$/.test(file)))('%s asks for what the table says', (file) => {
    const door = named(PAGES, folder(file))
    if (door === 'public') expect(source(file)).not.toContain('pageCtx(')
    else expect(source(file)).toContain(`await pageCtx('${door}')`)
  })
})

describe('route handlers', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  type Handler = (request: Request, context: { params: Promise<Record<string, unknown>> }) => Promise<Response>
  it.each(files.filter((file) => /(^|\/)route\.ts$/.test(file)))(
    '%s is closed to whoever lacks the permission',
    async (file) => {
      const handlers = (await import(join(APP, file))) as Partial<Record<(typeof METHODS)[number], Handler>>
      for (const method of METHODS.filter((m) => handlers[m])) {
        const door = named(ROUTES, `${method} ${folder(file)}`)
        if (door === 'public') continue
        const call = async (headers: Record<string, string>): Promise<number> => {
          const request = new Request(`http://localhost:1${folder(file)}`, { method, headers: new Headers(headers) })
          const params = Promise.resolve({ id: randomUUID() })
          const answer = await handlers[method]!(request, { params })
          await answer.body?.cancel()
          return answer.status
        }
        expect(await call(OWN), `${method} as nobody`).toBe(401)
        for (const role of lacking(door))
          expect(await call({ ...OWN, cookie: cookies[role] }), `${method} as ${role}`).toBe(403)
        for (const role of ROLES.filter((r) => may(r, door)))
          expect([401, 403], `${method} as ${role}`).not.toContain(await call({ ...OWN, cookie: cookies[role] }))
      }
    },
  )
})

describe('server actions', () => {
  const actions = files.filter((file) => /^(['"])use server\1/m.test(source(file)))
  it.each(actions)('%s is closed to whoever lacks the permission', async (file) => {
    const exported = (await import(join(APP, file))) as Record<string, (input?: unknown) => Promise<unknown>>
    for (const [name, run] of Object.entries(exported)) {
      const door = named(ACTIONS, `${join(folder(file), basename(file)).slice(1)} ${name}`)
      if (door === 'public') continue
      const call = (headers: Record<string, string>): Promise<unknown> => {
        from.headers = new Headers(headers)
        return run({})
      }
      const refused = (code: string): object => ({ ok: false, error: { code } })
      expect(await call(OWN), name).toMatchObject(refused('signed-out'))
      for (const origin of ['null', 'http://elsewhere.example'])
        expect(await call({ ...OWN, origin, cookie: cookies.admin }), name).toMatchObject(refused('forbidden'))
      expect(await call({ host: OWN.host, cookie: cookies.admin }), name).toMatchObject(refused('forbidden'))
      for (const role of lacking(door))
        expect(await call({ ...OWN, cookie: cookies[role] }), `${name} as ${role}`).toMatchObject(refused('forbidden'))
      for (const role of ROLES.filter((r) => may(r, door)))
        expect(await call({ ...OWN, cookie: cookies[role] }), `${name} as ${role}`).not.toMatchObject(
          refused('forbidden'),
        )
    }
  })

  it('are nowhere else', () => {
    const others = ['components', 'lib'].flatMap((top) =>
      readdirSync(join(APP, '..', top), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('db/generated'))
        .map((file) => join(APP, '..', top, file)),
    )
    const rest = files.filter((file) => !actions.includes(file)).map((file) => join(APP, file))
    const found = [...others, ...rest].filter(
      (file) => !/\.test\.ts$/.test(file) && /^\s*(['"])use server\1/m.test(readFileSync(file, 'utf8')),
    )
    expect(found).toEqual([])
  })
})

describe('the table', () => {
  it.each([
    ['pages', PAGES],
    ['route handlers', ROUTES],
    ['server actions', ACTIONS],
  ] as const)('has no line for %s that are gone', (_what, table) => {
    expect(Object.keys(table).filter((key) => !seen.has(key))).toEqual([])
  })
})
