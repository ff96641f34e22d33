import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { expect, it, vi } from 'vitest'
import { PrismaClient } from '@/lib/db/generated/client'
import { ServiceError } from '@/lib/services/errors'
import { failure } from './failure'

vi.mock('../log', () => ({ log: () => ({ error: () => undefined }) }))

// Nothing listens there.
const connectionString = 'postgres://drydock@127.0.0.1:1/drydock'
const thrown = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => null,
    (error: unknown) => error,
  )

it('a database that does not answer is said to be that, however it was asked', async () => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) })
  const pool = new pg.Pool({ connectionString })
  const errors = await Promise.all([
    thrown(prisma.user.findFirst()),
    thrown(prisma.$queryRaw`SELECT 1`),
    thrown(prisma.$transaction((tx) => tx.user.findFirst())),
    thrown(pool.query('SELECT 1')),
  ])
  for (const error of errors) {
    expect(failure(error, 'test'), String(error)).toMatchObject({
      code: 'unavailable',
      message: 'Drydock’s database does not answer.',
      hint: expect.stringContaining('Whether it was done is not known') as unknown,
    })
    expect(failure(error, 'test', 'page').hint).toContain('What is held stays held')
    expect(failure(error, 'test', 'look').hint).toContain('Nothing was done')
  }
  await Promise.all([prisma.$disconnect(), pool.end()])
})

it('what nobody expected keeps its words to itself', () => {
  expect(failure(new Error('a secret'), 'test')).toMatchObject({ code: 'internal' })
  expect(JSON.stringify(failure(new Error('a secret'), 'test'))).not.toContain('secret')
  expect(failure('a string', 'test').code).toBe('internal')
  expect(failure(new ServiceError('conflict', 'It has changed.'), 'test')).toEqual({
    code: 'conflict',
    message: 'It has changed.',
  })
})
