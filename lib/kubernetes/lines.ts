/** An object is at most a few MiB; what sends more without a line break is no API server. */
const MAX_LINE_BYTES = 32 * 1024 * 1024

/** Splits a stream of bytes into lines; a line may arrive in any number of pieces, cut anywhere (also inside a character). */
export async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = []
  let held = 0
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, end)
      const line = pending.length ? Buffer.concat([...pending, piece]) : piece
      pending = []
      held = 0
      start = end + 1
      if (line.length) yield line
    }
    if (start === chunk.length) continue
    pending.push(chunk.subarray(start))
    held += chunk.length - start
    if (held > MAX_LINE_BYTES) throw new Error('A line of the watch is longer than 32 MiB.')
  }
  // What is left was cut off in the middle by the end of the connection: not a line.
}
