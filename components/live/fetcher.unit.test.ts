import { environmentManager, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeLive } from './client'
import { getJson, isUnanswered, problemFrom } from './fetcher'

let limit: AbortController
const asked = vi.fn<(path: string, init: RequestInit) => Promise<Response>>()
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))))

beforeEach(() => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => (limit = new AbortController()).signal)
  vi.stubGlobal('fetch', asked)
})
afterEach(() => {
  environmentManager.setIsServer(() => true)
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test.each<[string, (init: RequestInit) => Promise<Response>]>([
  ['an answer that never comes', ({ signal }) => never(signal!)],
  [
    'an answer that never ends',
    async ({ signal }) => ({ ok: true, json: () => never(signal!) }) as unknown as Response,
  ],
])('%s is one that was not given', async (_what, answer) => {
  asked.mockImplementation((_, init) => answer(init))
  const got = getJson('/api/shell', new AbortController().signal)
  await Promise.resolve()
  limit.abort()
  await expect(got).rejects.toMatchObject({ code: 'offline', message: 'Drydock has not answered for a minute.' })
})

test('what somebody else answered in its place, a page to sign in, is no missing answer', async () => {
  asked.mockResolvedValue(new Response('<html>sign in</html>'))
  const error = await getJson('/api/shell').catch((err: unknown) => err)
  expect(isUnanswered(error)).toBe(false)
  expect(problemFrom(error)).toMatchObject({ hint: 'Reload it.' })
})

test('what nobody wants any more is no failure of Drydock', async () => {
  asked.mockImplementation((_, { signal }) => never(signal!))
  const left = new AbortController()
  const got = getJson('/api/shell', left.signal)
  left.abort()
  await expect(got).rejects.toThrow('given up')
})

test('what was not answered is asked again until it is, although nobody says that it changed', async () => {
  vi.useFakeTimers()
  environmentManager.setIsServer(() => false)
  const { client } = makeLive()
  asked.mockRejectedValue(new TypeError('network'))
  const queryFn = ({ signal }: { signal: AbortSignal }) => getJson<string>('/api/shell', signal)
  const observer = new QueryObserver(client, { queryKey: ['shell'], queryFn })
  const end = observer.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(4_000)
  expect(observer.getCurrentResult().error).toMatchObject({ message: 'Drydock does not answer.' })
  asked.mockResolvedValue(Response.json('fresh'))
  await vi.advanceTimersByTimeAsync(6_000)
  expect(observer.getCurrentResult()).toMatchObject({ data: 'fresh', error: null })
  const before = asked.mock.calls.length
  await vi.advanceTimersByTimeAsync(30_000)
  expect(asked).toHaveBeenCalledTimes(before)
  end()
  client.clear()
})
