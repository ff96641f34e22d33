import { expect, test } from 'vitest'
import { lines } from './lines'

async function* pieces(...parts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part as string)
}
const all = async (body: AsyncIterable<Buffer>): Promise<string[]> => {
  const found: string[] = []
  for await (const line of lines(body)) found.push(line.toString('utf8'))
  return found
}

test('lines come whole, wherever the pieces were cut, and an unfinished last one does not come', async () => {
  const text = Buffer.from('{"a":"ä€"}\n\n{"b":2}\n{"c"')
  for (let cut = 0; cut <= text.length; cut++)
    expect(await all(pieces(text.subarray(0, cut), text.subarray(cut)))).toEqual(['{"a":"ä€"}', '{"b":2}'])
})

test('a server that never ends a line cannot fill the memory', async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    const piece = Buffer.alloc(1024 * 1024, 'x')
    for (;;) yield piece
  }
  await expect(all(endless())).rejects.toThrow('longer than 32 MiB')
})
