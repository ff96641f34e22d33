import { expect, test } from 'vitest'
import { ServiceError } from '../errors'
import { orRefused } from './refused-address'

const refused = (query: string, message: string, ...fields: string[]) =>
  orRefused(
    Promise.reject(new ServiceError('invalid', message, { fields: fields.map((field) => ({ field, message })) })),
    '/updates',
    new URLSearchParams(query),
  )

test('an address that cannot be meant is answered with its sentence and the page without that part', async () => {
  const message = 'There are the tabs waiting, running and done.'
  expect(await refused('tab=evil', message, 'tab')).toEqual({ refused: { message, href: '/updates' } })
  expect(await refused('cluster=atlas&tab=evil&q=web&cursor=1', message, 'tab')).toEqual({
    refused: { message, href: '/updates?cluster=atlas&q=web' },
  })
})

test('a place that is none is left out, whether or not its field is named', async () => {
  const { refused: found } = await refused('tab=done&cursor=x', 'This is not a place in the list; begin at its top.')
  expect(found?.href).toBe('/updates?tab=done')
})

test('where the refused part has another name in the address, the page begins anew', async () => {
  expect((await refused('workload=x', 'No.', 'workloadCluster')).refused?.href).toBe('/updates')
})

test('data passes through, and so does every other failure', async () => {
  const query = new URLSearchParams()
  expect(await orRefused(Promise.resolve(7), '/', query)).toEqual({ data: 7 })
  for (const error of [new Error('down'), new ServiceError('unavailable', 'Down.')])
    await expect(orRefused(Promise.reject(error), '/', query)).rejects.toBe(error)
})
