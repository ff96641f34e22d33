import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { errorStack, errorText } from '../error-text'
import { db, gatePool, pool, session } from './client'
import { useTestDatabase } from './testing'

useTestDatabase()

it('what is logged of an error of the database client repeats nothing of what was to be written', async () => {
  const value = randomBytes(12).toString('hex')
  const wrong: object = { data: { id: value, email: value, name: value, role: 'admin', noSuchField: value } }
  const error = await db()
    .user.create(wrong as never)
    .catch((e: unknown) => e as Error)
  expect(error).toMatchObject({ name: 'PrismaClientValidationError' })
  const { message, stack } = error as Error
  expect(message).toContain(value) // Prisma's own words, in every error format
  expect(errorText(error as Error)).toMatch(/^Unknown argument `noSuchField`/)
  for (const text of [errorText(error as Error), errorStack(error as Error)]) expect(text).not.toContain(value)
  expect(errorStack(error as Error)!.length).toBeLessThan(stack!.length)
})

const SHOW = 'SHOW idle_in_transaction_session_timeout'

it('every connection of ours lets its locks go where its process stands still in a transaction', async () => {
  for (const of of [pool, session, gatePool]) expect((await of().query(SHOW)).rows, of.name).toEqual([IDLE])
  expect(await db().$queryRawUnsafe(SHOW)).toEqual([IDLE])
  const inside = await db().$transaction((tx) => tx.$queryRawUnsafe(SHOW))
  expect(inside).toEqual([IDLE])
})

const IDLE = { idle_in_transaction_session_timeout: '30s' }
