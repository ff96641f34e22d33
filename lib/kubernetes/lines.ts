/** Splits a stream of bytes into lines; a line may arrive in any number of pieces, cut anywhere (also inside a character). */
export async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pending: Buffer[] = []
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, end)
      const line = pending.length ? Buffer.concat([...pending, piece]) : piece
      pending = []
      start = end + 1
      if (line.length) yield line.toString('utf8')
    }
    if (start < chunk.length) pending.push(chunk.subarray(start))
  }
  // What is left was cut off in the middle by the end of the connection: not a line.
}
