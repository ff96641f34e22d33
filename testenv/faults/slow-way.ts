import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/** A way to a server on this machine whose answers may be made slow. */
export async function slowWay(port: number) {
  let delayMs = 0
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    let timer: NodeJS.Timeout | undefined
    const late = new Transform({
      transform: (chunk: Buffer, _, done) => void (timer = setTimeout(() => done(null, chunk), delayMs)),
      destroy: (error, done) => (clearTimeout(timer), done(error)),
    })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => (open.delete(one), other.destroy(), late.destroy()))
    }
    client.pipe(server)
    server.pipe(late).pipe(client)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    port: (proxy.address() as AddressInfo).port,
    /** From now on every answer takes so long. */
    slow(ms: number) {
      delayMs = ms
    },
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of open) socket.destroy()
        proxy.close(() => resolve())
      }),
  }
}
export type SlowWay = Awaited<ReturnType<typeof slowWay>>
