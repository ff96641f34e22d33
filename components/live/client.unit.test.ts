import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeLive, type Live } from './client'

class Source {
  static readonly CLOSED = 2
  static newest: Source
  readyState = 1
  onmessage = (_: { data: string }): void => {}
  onerror = (): void => {}
  beat = (): void => {}
  constructor() {
    Source.newest = this
  }
  addEventListener(_: 'beat', beats: () => void): void {
    this.beat = beats
  }
  close(): void {}
}

const opens = () => Source.newest.onmessage({ data: '{"resync":true}' })

let live: Live
let ends: (() => void)[]
beforeEach(() => {
  vi.stubGlobal('EventSource', Source)
  vi.stubGlobal('document', { addEventListener: () => {}, removeEventListener: () => {}, visibilityState: 'visible' })
  live = makeLive()
  ends = [live.start(() => {})]
})
afterEach(() => {
  ends.forEach((end) => end())
  live.client.clear()
  vi.unstubAllGlobals()
})

/** What a page does with what the server rendered. Returns how to count its fetches. */
function shown(key: string) {
  let fetched = 0
  const queryFn = () => Promise.resolve(`fetched ${++fetched}`)
  const observer = new QueryObserver(live.client, { queryKey: [key], queryFn, initialData: 'rendered' })
  ends.unshift(observer.subscribe(() => {}))
  return { observer, count: () => fetched }
}
const poll = { timeout: 5_000 }

test('the first page is fetched when the stream opens, once, and not before', async () => {
  const page = shown('machines')
  await Promise.resolve()
  expect(page.count()).toBe(0)
  opens()
  await expect.poll(page.count, poll).toBe(1)
  Source.newest.onmessage({ data: '{"topic":"changes"}' })
  Source.newest.onmessage({ data: '{"topic":"machines"}' })
  await expect.poll(page.count, poll).toBe(2)
})

test('a page that one goes to is fetched once: what was announced while it was rendered is in it', async () => {
  opens()
  const page = shown('changes')
  await expect.poll(page.count, poll).toBe(1)
  await expect.poll(() => page.observer.getCurrentResult().data, poll).toBe('fetched 1')
  // Another filter on the same page.
  page.observer.setOptions({
    queryKey: ['changes', 'other'],
    queryFn: () => Promise.resolve('fetched anew'),
    initialData: 'rendered',
  })
  await expect.poll(() => page.observer.getCurrentResult().data, poll).toBe('fetched anew')
  // Coming back to what has been followed since costs nothing.
  const before = page.count()
  ends.unshift(page.observer.subscribe(() => {}))
  expect(page.count()).toBe(before)
})

test('what takes longer than the pause between changes is there all the same, and is fetched once more', async () => {
  opens()
  let fetched = 0
  let done = (_: string): void => {}
  const queryFn = ({ signal }: { signal: AbortSignal }) =>
    new Promise<string>((resolve, reject) => {
      fetched++
      done = resolve
      signal.addEventListener('abort', () => reject(new Error('given up')))
    })
  const observer = new QueryObserver(live.client, { queryKey: ['changes'], queryFn, initialData: 'rendered' })
  ends.unshift(observer.subscribe(() => {}))
  await expect.poll(() => fetched, poll).toBe(1)
  for (let n = 0; n < 2; n++) {
    Source.newest.onmessage({ data: '{"topic":"changes"}' })
    await new Promise((resolve) => setTimeout(resolve, 1_200))
  }
  expect(fetched).toBe(1)
  done('first')
  await expect.poll(() => observer.getCurrentResult().data, poll).toBe('first')
  await expect.poll(() => fetched, poll).toBe(2)
  done('second')
  await expect.poll(() => observer.getCurrentResult().data, poll).toBe('second')
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  expect(fetched).toBe(2)
})

test('a stream that was lost and is back fetches what is shown', async () => {
  opens()
  const page = shown('machines')
  await expect.poll(page.count, poll).toBe(1)
  Source.newest.onerror()
  opens()
  await expect.poll(page.count, poll).toBe(2)
})

test('a stream that is open and says nothing is not live: the server may not hear itself', () => {
  const said: boolean[] = []
  ends.push(live.start(({ connected }) => said.push(connected)))
  expect(said).toEqual([false])
  Source.newest.onmessage({ data: '{"resync":true}' })
  Source.newest.onerror()
  Source.newest.onmessage({ data: '{"resync":true}' })
  expect(said).toEqual([false, true, false, true])
})

test('one that is lost tells since when nothing was heard, which may be long before that was seen', () => {
  vi.useFakeTimers()
  const said: { since: number; heardAt: number }[] = []
  ends.push(live.start((state) => said.push(state)))
  opens()
  const heardAt = Date.now()
  vi.advanceTimersByTime(26_000)
  Source.newest.onerror()
  vi.useRealTimers()
  expect(said.at(-1)).toMatchObject({ since: heardAt + 26_000, heardAt })
})

test('that nothing has changed is heard as well, and counts while it is live', () => {
  vi.useFakeTimers()
  const said: { heardAt: number }[] = []
  ends.push(live.start((state) => said.push(state)))
  const began = Date.now()
  vi.advanceTimersByTime(60_000)
  Source.newest.beat()
  Source.newest.onerror()
  expect(said.at(-1)).toMatchObject({ heardAt: began })
  opens()
  vi.advanceTimersByTime(3_600_000)
  Source.newest.beat()
  const heardAt = Date.now()
  vi.advanceTimersByTime(4_000)
  Source.newest.onerror()
  vi.useRealTimers()
  expect(said.at(-1)).toMatchObject({ heardAt })
})
