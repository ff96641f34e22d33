import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to the API server that can be cut and closed. */
export async function cuttable(server: string) {
  const { hostname, port } = new URL(server)
  const open = new Set<Socket>()
  let closed = false
  const proxy = createServer((client) => {
    if (closed) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => (open.delete(one), other.destroy()))
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** Every connection ends now, and no other begins until `restore`. */
    cut() {
      closed = true
      for (const socket of open) socket.destroy()
    },
    restore() {
      closed = false
    },
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of open) socket.destroy()
        proxy.close(() => resolve())
      }),
  }
}
