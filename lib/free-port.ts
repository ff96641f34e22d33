import { createServer } from 'node:net'

/** Given to somebody already, who may not listen yet: the system would give it again. */
const given = new Set<number>()

/** A port of the loopback that nobody listens on at the moment, and that was not given to anybody here before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await unusedPort()
    if (given.has(port)) continue
    given.add(port)
    return port
  }
}

function unusedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}
