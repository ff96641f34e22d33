import { randomBytes } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { givenDatabase, readEnvironment } from './environment'

afterEach(() => vi.unstubAllEnvs())

it.each([
  ['DRYDOCK_LOG_LEVEL', 'loud', /DRYDOCK_LOG_LEVEL is one of .*info/],
  ['DRYDOCK_GATE_PORT', 'abc', /DRYDOCK_GATE_PORT is a port/],
  ['DRYDOCK_WORKER_PORT', '70000', /DRYDOCK_WORKER_PORT is a port/],
  ['DRYDOCK_TRUSTED_PROXY', 'banana', /DRYDOCK_TRUSTED_PROXY names addresses .*banana/],
  ['DRYDOCK_KEY', 'short', /DRYDOCK_KEY must be 32 bytes/],
  ['DRYDOCK_SECRET', 'short', /DRYDOCK_SECRET must have at least 32/],
  ['DRYDOCK_URL', 'drydock.example.com', /DRYDOCK_URL must be/],
])('%s=%s is refused before anything starts', (name, value, sentence) => {
  vi.stubEnv(name, value)
  expect(() => readEnvironment()).toThrow(sentence)
  vi.stubEnv(name, '') // an empty variable counts as none
  expect(() => readEnvironment()).not.toThrow()
})

it('takes DATABASE_URL where it is an address of PostgreSQL, and never repeats another', () => {
  vi.stubEnv('DATABASE_URL', '')
  expect(givenDatabase()).toBeUndefined()
  for (const url of ['postgres://a@b/c', 'postgresql:///drydock?host=/var/run/postgresql']) {
    vi.stubEnv('DATABASE_URL', url)
    expect(givenDatabase()).toBe(url)
  }
  const password = randomBytes(8).toString('hex')
  vi.stubEnv('DATABASE_URL', `mysql://a:${password}@b/c`)
  expect(() => givenDatabase()).toThrow(/^DATABASE_URL must be an address such as postgresql:/)
  expect(() => givenDatabase()).not.toThrow(password)
})
