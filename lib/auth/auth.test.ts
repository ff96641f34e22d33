import { beforeEach, describe, expect, it, vi } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { createUser } from '@/lib/services/users/create-user'
import { disableUser } from '@/lib/services/users/disable-user'
import { listUsers } from '@/lib/services/users/list-users'
import { resetPassword } from '@/lib/services/users/reset-password'
import { setRole } from '@/lib/services/users/set-role'
import { ROLES, systemCtx, type Ctx } from '@/lib/services/context'
import { isDatabaseDown } from './failure'
import { createLink, peekLink } from './links'
import { route } from './route'
import { ctxFromHeaders } from './session'
import { signInWithLink, signInWithPassword, signOut } from './sign-in'

const from = vi.hoisted(() => ({ headers: new Headers() }))
vi.mock('next/headers', () => ({ headers: async () => from.headers, cookies: async () => ({ set: () => {} }) }))

useTestDatabase()
process.env.DRYDOCK_SECRET = crypto.randomUUID() + crypto.randomUUID()
const admin = systemCtx('test')
const password = (): string => crypto.randomUUID()
let n = 0
const email = (): string => `person${++n}@example.com`
const asCookie = (lines: string[]): Headers =>
  new Headers({ cookie: lines.map((line) => line.split(';')[0]).join('; ') })

async function person(role: string): Promise<{ userId: string; email: string; password: string; headers: Headers }> {
  const who = { email: email(), password: password() }
  const { userId, link } = await createUser(admin, { email: who.email, role })
  const token = link.split('/').at(-1)!
  const cookies = await signInWithLink({ token, password: who.password }, new Headers())
  return { userId, ...who, headers: asCookie(cookies) }
}

beforeEach(() => db().rateLimit.deleteMany())

describe('one-time links', () => {
  beforeEach(async () => {
    await db().user.deleteMany()
  })

  it('the first administrator makes an account; the link works once', async () => {
    const token = await createLink(db(), { role: 'admin' }, 60)
    expect(await peekLink(token)).toEqual({ asks: 'account' })
    await expect(
      signInWithLink({ token, name: '', email: 'x', password: 'short' }, new Headers()),
    ).rejects.toMatchObject({
      code: 'invalid',
      more: { fields: [{ field: 'password' }, { field: 'name' }, { field: 'email' }] },
    })
    const form = { token, name: 'Ada', email: 'Ada@Example.com', password: password() }
    const ctx = await ctxFromHeaders(asCookie(await signInWithLink(form, new Headers())))
    expect(ctx?.actor).toMatchObject({ name: 'Ada', role: 'admin', kind: 'user' })
    await expect(signInWithLink({ ...form, email: email() }, new Headers())).rejects.toThrow(/used before/)
    expect(await peekLink(token)).toBeNull()
    expect(await db().auditEvent.count({ where: { action: 'user.created', targetName: 'ada@example.com' } })).toBe(1)
  })

  it('two people with the same link at once: one gets in', async () => {
    const token = await createLink(db(), { role: 'admin' }, 60)
    const forms = [1, 2].map(() => ({ token, name: 'A', email: email(), password: password() }))
    const results = await Promise.allSettled(forms.map((form) => signInWithLink(form, new Headers())))
    expect(results.map((r) => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('a link for the first account is worth nothing once there is one; a link of one’s own still is', async () => {
    const [first, second] = [
      await createLink(db(), { role: 'admin' }, 60),
      await createLink(db(), { role: 'admin' }, 60),
    ]
    const form = () => ({ name: 'A', email: email(), password: password() })
    const both = await Promise.allSettled(
      [first, second].map((token) => signInWithLink({ token, ...form() }, new Headers())),
    )
    expect(both.map((r) => r.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await db().user.count()).toBe(1)
    const late = await createLink(db(), { role: 'admin' }, 60)
    expect(await peekLink(late)).toBeNull()
    await expect(signInWithLink({ token: late, ...form() }, new Headers())).rejects.toThrow(/first account/)
    expect(await db().user.count()).toBe(1)
    const invited = await person('operator')
    expect((await ctxFromHeaders(invited.headers))?.actor.role).toBe('operator')
    expect(await db().signInLink.count({ where: { userId: null, usedAt: null, NOT: { role: null } } })).toBe(1)
  })

  it('is over after its time, and is kept only as a hash', async () => {
    const token = await createLink(db(), { role: 'admin' }, -1)
    expect(await peekLink(token)).toBeNull()
    await expect(
      signInWithLink({ token, name: 'A', email: email(), password: password() }, new Headers()),
    ).rejects.toThrow(/time is over/)
    expect(JSON.stringify(await db().signInLink.findMany())).not.toContain(token)
  })
})

describe('passwords', () => {
  it('sign in, read the role anew, sign out', async () => {
    const who = await person('operator')
    const headers = asCookie(
      await signInWithPassword({ email: who.email.toUpperCase(), password: who.password }, new Headers()),
    )
    expect((await ctxFromHeaders(headers))?.actor.role).toBe('operator')
    await setRole(admin, { userId: who.userId, role: 'approver' })
    expect((await ctxFromHeaders(headers))?.actor.role).toBe('approver')
    await signOut(headers)
    expect(await ctxFromHeaders(headers)).toBeNull()
  })

  it('says the same of a wrong address and a wrong password, and stops guessing', async () => {
    const who = await person('viewer')
    const wrong = async (as: string) =>
      signInWithPassword({ email: as, password: 'wrong' }, new Headers()).catch((e: Error) => e.message)
    expect(await wrong(who.email)).toBe(await wrong(email()))
    const refused = await db().auditEvent.findMany({
      where: { action: 'user.sign-in-refused' },
      orderBy: { id: 'asc' },
    })
    expect(refused.slice(-2)).toMatchObject([
      { targetName: who.email, targetId: who.userId, result: 'refused' },
      { targetName: 'an unknown address', targetId: '' },
    ])
    for (let i = 0; i < 7; i++) await wrong(who.email)
    await expect(signInWithPassword({ email: who.email, password: who.password }, new Headers())).rejects.toThrow(
      /Too many attempts/,
    )
    // A stranger who guesses does not lock the person out.
    const elsewhere = new Headers({ 'x-forwarded-for': '203.0.113.9' })
    expect(await signInWithPassword({ email: who.email, password: who.password }, elsewhere)).not.toEqual([])
  })

  it('guesses from everywhere slow a person down, and are still no lock', async () => {
    const who = await person('viewer')
    await db().rateLimit.create({
      data: { id: who.userId, key: `sign-in:person:${who.email}`, count: 5_000, lastRequest: BigInt(Date.now()) },
    })
    const begun = Date.now()
    expect(await signInWithPassword({ email: who.email, password: who.password }, new Headers())).not.toEqual([])
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_900)
  })

  it('a session whose time is over is over, however often its cookie was read before', async () => {
    const who = await person('viewer')
    for (let i = 0; i < 2; i++) expect(await ctxFromHeaders(who.headers)).not.toBeNull()
    await db().session.updateMany({ where: { userId: who.userId }, data: { expiresAt: new Date(Date.now() - 1) } })
    for (let i = 0; i < 2; i++) expect(await ctxFromHeaders(who.headers)).toBeNull()
    expect(await db().session.count({ where: { userId: who.userId } })).toBe(0)
  })

  it('a disabled account is out at once and stays out', async () => {
    const who = await person('viewer')
    expect(await ctxFromHeaders(who.headers)).not.toBeNull()
    await disableUser(admin, { userId: who.userId })
    expect(await ctxFromHeaders(who.headers)).toBeNull()
    await expect(signInWithPassword(who, new Headers())).rejects.toThrow(/disabled/)
  })

  it('a session that is still there is worth nothing once its account is disabled, however it came to be', async () => {
    const who = await person('admin')
    expect(await ctxFromHeaders(who.headers)).not.toBeNull()
    await db().user.update({ where: { id: who.userId }, data: { disabledAt: new Date() } })
    for (let i = 0; i < 2; i++) expect(await ctxFromHeaders(who.headers)).toBeNull()
    expect(await db().session.count({ where: { userId: who.userId } })).toBe(1)
    await db().user.update({ where: { id: who.userId }, data: { disabledAt: null } })
    expect(await ctxFromHeaders(who.headers)).not.toBeNull()
  })

  it('a reset password ends sessions and is chosen anew by link', async () => {
    const who = await person('viewer')
    const { link } = await resetPassword(admin, { userId: who.userId })
    expect(await ctxFromHeaders(who.headers)).toBeNull()
    await expect(signInWithPassword(who, new Headers())).rejects.toThrow(/wrong/)
    const token = link.split('/').at(-1)!
    expect(await peekLink(token)).toEqual({ asks: 'password', email: who.email })
    const next = password()
    await signInWithLink({ token, password: next }, new Headers())
    expect(await signInWithPassword({ email: who.email, password: next }, new Headers())).not.toEqual([])
  })

  it('a database that hangs is told of in time, and heard again when it goes on', async () => {
    const who = await person('viewer')
    expect(await ctxFromHeaders(who.headers)).not.toBeNull()
    const holds = await pool().connect()
    await holds.query('BEGIN; LOCK TABLE session IN ACCESS EXCLUSIVE MODE')
    const error: unknown = await ctxFromHeaders(who.headers, 50).catch((e: unknown) => e)
    expect(isDatabaseDown(error)).toBe(true)
    await holds.query('ROLLBACK')
    holds.release()
    expect(await ctxFromHeaders(who.headers)).not.toBeNull()
  })

  it('forged and changed cookies are nobody', async () => {
    const who = await person('admin')
    const cookie = who.headers.get('cookie')!
    const token = decodeURIComponent(cookie.split('=')[1]!).split('.')[0]
    for (const forged of [
      `drydock.session_token=${token}`,
      cookie.slice(0, -6) + 'AAAAAA',
      'drydock.session_token=x.y',
    ]) {
      expect(await ctxFromHeaders(new Headers({ cookie: forged }))).toBeNull()
    }
  })
})

describe('accounts', () => {
  it('only administrators administer them', async () => {
    for (const role of ROLES.filter((r) => r !== 'admin')) {
      const ctx: Ctx = { actor: { kind: 'user', id: 'x', name: 'x', role } }
      for (const verb of [
        listUsers,
        (c: Ctx) => createUser(c, {}),
        (c: Ctx) => setRole(c, {}),
        (c: Ctx) => disableUser(c, {}),
      ]) {
        await expect(verb(ctx)).rejects.toMatchObject({ code: 'forbidden' })
      }
    }
  })

  it('the last administrator stays, also when two of them remove each other at once', async () => {
    await db().user.updateMany({ data: { role: 'viewer' } })
    const [a, b] = [await person('admin'), await person('admin')]
    const results = await Promise.allSettled([disableUser(admin, a), setRole(admin, { ...b, role: 'viewer' })])
    expect(results.map((r) => r.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await db().user.count({ where: { role: 'admin', disabledAt: null } })).toBe(1)
  })
})

describe('routes', () => {
  const context = { params: Promise.resolve({}) }
  const call = (method: string, headers: Headers) =>
    route('users:write', async () => Response.json({ ok: true }))(
      new Request('http://localhost:1/api/x', { method, headers }),
      context,
    )

  it('want a session, a permission, and an Origin of ours for writes', async () => {
    expect((await call('GET', new Headers())).status).toBe(401)
    const viewer = await person('viewer')
    expect((await call('GET', viewer.headers)).status).toBe(403)
    const boss = await person('admin')
    expect((await call('GET', boss.headers)).status).toBe(200)
    const origins = [
      undefined,
      'null',
      'http://evil.example',
      'http://localhost:2',
      'http://x.localhost:1',
      'ftp://localhost:1',
    ]
    for (const origin of origins) {
      const headers = new Headers([...boss.headers, ['host', 'localhost:1']])
      if (origin) headers.set('origin', origin)
      expect((await call('POST', headers)).status, String(origin)).toBe(403)
    }
    const own = new Headers([...boss.headers, ['host', 'localhost:1'], ['origin', 'http://localhost:1']])
    expect((await call('POST', own)).status).toBe(200)
    own.set('sec-fetch-site', 'same-site')
    expect((await call('POST', own)).status).toBe(403)
  })

  it('never let an unknown error out', async () => {
    const boss = await person('admin')
    const broken = route('fleet:read', async () => {
      throw new Error('the password is swordfish')
    })
    const answer = await broken(new Request('http://localhost/x', { headers: boss.headers }), context)
    expect(answer.status).toBe(500)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.text()).not.toContain('swordfish')
  })
})

describe('server actions', () => {
  it('load the session themselves and check the Origin', async () => {
    const { action } = await import('./index')
    const run = action(async (ctx: Ctx, text: string) => `${ctx.actor.role} ${text}`)
    const who = await person('operator')
    from.headers = new Headers([...who.headers, ['host', 'a:1'], ['origin', 'http://a:1']])
    expect(await run('x')).toEqual({ ok: true, value: 'operator x' })
    from.headers = new Headers([
      ['host', 'a:1'],
      ['origin', 'http://a:1'],
    ])
    expect(await run('x')).toMatchObject({ ok: false, error: { code: 'signed-out' } })
    for (const origin of ['null', 'http://b:1']) {
      from.headers = new Headers([...who.headers, ['host', 'a:1'], ['origin', origin]])
      expect(await run('x')).toMatchObject({ ok: false, error: { code: 'forbidden' } })
    }
    from.headers = who.headers
    expect(await run('x')).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  })
})
