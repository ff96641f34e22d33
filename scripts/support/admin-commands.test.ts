import { beforeEach, expect, test } from 'vitest'
import { pool } from '@/lib/db/client'
import { writeUnknownErrors } from '@/lib/db/read-model/unknown-errors'
import { useTestDatabase } from '@/lib/db/testing'
import type { UnknownErrorDto } from '@/lib/services/machines/unknown-errors'
import { COMMANDS } from './admin-commands'

useTestDatabase()
beforeEach(() => pool().query('DELETE FROM unknown_error'))

async function unknown(...args: string[]): Promise<string[]> {
  const lines: string[] = []
  const ctx = { actor: { kind: 'cli' as const, id: 'cli:t', name: 't', role: 'admin' as const } }
  expect(await COMMANDS['errors:unknown']!.run(ctx, args, (line) => lines.push(line))).toBe(0)
  return lines
}
const error = (message: string, count: number) => ({
  ...{ provider: 'AWSMachine', condition: 'Failure', reason: '', message, example: `an example of ${message}`, count },
})

test('errors:unknown lists what nobody knows, the most frequent first', async () => {
  expect(await unknown()).toEqual(['Every error that machines have reported is known.'])
  expect(await unknown('--json')).toEqual(['[]'])
  await writeUnknownErrors(pool(), [error('rare', 1), error('often \u001b[2Jand cleared', 41)])
  const lines = await unknown()
  expect(lines[0]).toMatch(/^ {4}41 {2}AWSMachine \/ Failure {2}last seen 20/)
  expect(lines.slice(1).map((line) => line.trim())).toEqual([
    'often  [2Jand cleared',
    expect.stringMatching(/^1 {2}AWSMachine/) as unknown as string,
    'rare',
  ])
  const listed = JSON.parse((await unknown('--json')).join('\n')) as UnknownErrorDto[]
  expect(listed).toMatchObject([
    { count: 41, message: 'often \u001b[2Jand cleared' },
    { count: 1, message: 'rare', example: 'an example of rare' },
  ])
})

test('an option that there is not is refused', async () => {
  await expect(unknown('--yaml')).rejects.toThrow(/yaml/)
})
