import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createLink } from '@/lib/auth/links'
import { setPassword } from '@/lib/auth/redeem-link'
import { signInWithLink } from '@/lib/auth/sign-in'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { GET } from './audit/route'
import { POST } from './auth/[...all]/route'

useTestDatabase()
process.env.DRYDOCK_SECRET = randomUUID() + randomUUID()
const AT = 'http://localhost:1'
let cookie = ''

beforeAll(async () => {
  const user = await db().user.create({ data: { id: randomUUID(), email: 'a@example.com', name: 'a', role: 'admin' } })
  const token = await db().$transaction(async (tx) => {
    await setPassword(tx, user.id, randomUUID())
    return createLink(tx, { userId: user.id }, 5)
  })
  cookie = (await signInWithLink({ token }, new Headers())).map((line) => line.split(';')[0]).join('; ')
})

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'sign-in/email', ''])(
  'there is nothing at /api/auth/%s',
  async (name) => {
    const request = new Request(`${AT}/api/auth/${name}`, {
      method: 'POST',
      headers: { host: 'localhost:1', origin: AT },
    })
    const answer = await POST(request, { params: Promise.resolve({ all: name.split('/') }) })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'not-found' })
  },
)

const exported = () => db().auditEvent.count({ where: { action: 'audit.exported' } })

test.each([
  ['cross-site', 403],
  ['same-site', 403],
  ['same-origin', 200],
  ['none', 200],
  [null, 200],
] as const)('the audit is exported, and that recorded, on a navigation that is %s: %i', async (site, status) => {
  const before = await exported()
  const headers = { cookie, ...(site ? { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' } : {}) }
  const answer = await GET(new Request(`${AT}/api/audit`, { headers }), { params: Promise.resolve({}) })
  expect(answer.status).toBe(status)
  await answer.text()
  expect(await exported()).toBe(before + (status === 200 ? 1 : 0))
})
