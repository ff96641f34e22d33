import { expect, request as requests, test, type APIRequestContext } from '@playwright/test'
import { may, ROLES, type Role } from '@/lib/services/context'
import { PAGES, ROUTES } from './support/access'
import { BASE_URL, stateFile } from './support/constants'

/** Every page and every readable route over HTTP, as nobody and as each role; and what each answer says to a browser. */
const NO_ID = '00000000-0000-4000-8000-000000000000'
const address = (path: string): string => path.replace(/\[\w+\]/, NO_ID)

const as = (role?: Role): Promise<APIRequestContext> =>
  requests.newContext({
    baseURL: BASE_URL,
    maxRedirects: 0,
    storageState: role ? stateFile(role) : { cookies: [], origins: [] },
  })

const pages = Object.entries(PAGES)
const routes = Object.entries(ROUTES).flatMap(([key, door]) => {
  const [method, path] = key.split(' ') as [string, string]
  // The stream does not end by itself: its own test is below.
  return method === 'GET' && path !== '/api/stream' ? [{ path, door }] : []
})

test('nobody sees a page, and is sent to sign in', async () => {
  const nobody = await as()
  for (const [path, door] of pages) {
    const answer = await nobody.get(address(path))
    if (door === 'public') expect(answer.status(), path).toBe(200)
    else {
      expect(answer.status(), path).toBe(307)
      expect(answer.headers().location, path).toMatch(/^\/sign-in/)
    }
  }
  for (const { path, door } of routes)
    expect((await nobody.get(address(path))).status(), path).toBe(door === 'public' ? 200 : 401)
  expect((await nobody.get('/api/stream')).status()).toBe(401)
  await nobody.dispose()
})

test('a forged session is nobody', async () => {
  const forged = await requests.newContext({
    baseURL: BASE_URL,
    maxRedirects: 0,
    storageState: { cookies: [], origins: [] },
    extraHTTPHeaders: { cookie: 'drydock.session_token=abc.def' },
  })
  for (const [path, door] of pages.filter(([, d]) => d !== 'public')) {
    const answer = await forged.get(address(path))
    // A page that has begun to stream says it in the page: nothing of it may be there.
    expect(await answer.text(), `${path} (${door})`).not.toContain('payments')
    expect(answer.status() === 307 || (await answer.text()).includes('/sign-in'), path).toBe(true)
  }
  await forged.dispose()
})

for (const role of ROLES)
  test(`${role} sees what the table says`, async () => {
    const who = await as(role)
    for (const [path, door] of pages) {
      if (door === 'public' || path.includes('[')) continue
      const answer = await who.get(path)
      // A page that has begun to stream says in its stream what its status no longer can.
      const refused = answer.status() === 403 || (await answer.text()).includes('NEXT_HTTP_ERROR_FALLBACK;403')
      expect([answer.status() < 404, refused], path).toEqual([true, !may(role, door)])
    }
    for (const { path, door } of routes) {
      if (door === 'public') continue
      const status = (await who.get(address(path))).status()
      if (may(role, door)) expect([200, 404, 422], path).toContain(status)
      else expect(status, path).toBe(403)
    }
    await who.dispose()
  })

test('every answer carries the security headers, and no script runs without its nonce', async () => {
  const who = await as('admin')
  for (const path of ['/', '/sign-in', '/api/shell', '/api/health', '/nowhere']) {
    const headers = (await who.get(path)).headers()
    expect(headers, path).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    const policy = headers['content-security-policy'] ?? ''
    expect(policy, path).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic'(;|$)/)
    for (const part of [`object-src 'none'`, `base-uri 'none'`, `form-action 'self'`, `frame-ancestors 'none'`])
      expect(policy, path).toContain(part)
    expect(headers['x-powered-by'], path).toBeUndefined()
  }
  const page = await who.get('/')
  const nonce = /'nonce-([^']+)'/.exec(page.headers()['content-security-policy'] ?? '')?.[1]
  const scripts = (await page.text()).match(/<script\b[^>]*>/g) ?? []
  expect(scripts.length).toBeGreaterThan(0)
  for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`)
  await who.dispose()
})

test('health is open and says nothing more; metrics want a session', async () => {
  const [nobody, viewer] = [await as(), await as('viewer')]
  const health = await nobody.get('/api/health')
  expect([health.status(), await health.json()]).toEqual([200, { status: 'ok' }])
  expect((await nobody.get('/api/metrics')).status()).toBe(401)
  expect((await nobody.get('/api/metrics', { headers: { authorization: 'Bearer guess' } })).status()).toBe(401)
  const metrics = await viewer.get('/api/metrics')
  expect(metrics.headers()['content-type']).toContain('text/plain')
  expect(await metrics.text()).toContain('# TYPE ')
  await Promise.all([nobody.dispose(), viewer.dispose()])
})

test('a write from another page is refused before anything is looked at', async () => {
  const nobody = await as()
  const post = (headers: Record<string, string>, path = '/api/auth/sign-in') =>
    nobody.post(path, { headers, data: { email: 'a@example.com', password: 'x' } })
  const foreign: Record<string, string>[] = [{}, { origin: 'null' }, { origin: 'https://elsewhere.example' }]
  for (const headers of foreign) expect((await post(headers)).status()).toBe(403)
  expect((await post({ origin: BASE_URL })).status()).toBe(401)
  expect((await post({ origin: BASE_URL }, '/api/auth/sign-up/email')).status()).toBe(404)
  await nobody.dispose()
})

test('a stranger’s guesses from one address do not lock a person out, whatever the address claims to be', async () => {
  const nobody = await as()
  const email = `guessed-${Date.now()}@example.com`
  const statuses: number[] = []
  for (let n = 0; n < 10; n++) {
    const headers = { origin: BASE_URL, 'x-forwarded-for': `203.0.113.${n}` }
    statuses.push((await nobody.post('/api/auth/sign-in', { headers, data: { email, password: 'guess' } })).status())
  }
  // Were the header believed, none of the ten would be counted with another.
  expect(statuses.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => 401))
  expect(statuses.at(-1)).toBe(409)
  await nobody.dispose()
})
