import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface DatabaseProxy {
  url: string
  /** Connections that are there get no answer any more, and no end either; new ones do. */
  freeze(): void
  stop(): void
}

/** A way to the database on which connections can be made to hang, as behind a pooler or a firewall that forgot them. */
export async function databaseProxy(direct: string): Promise<DatabaseProxy> {
  const url = new URL(direct)
  const { hostname, port } = url
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const other = connect(Number(port || 5432), hostname)
    pairs.add([client, other])
    for (const one of [client, other]) one.on('error', () => undefined)
    client.pipe(other)
    other.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.toString(),
    freeze: () => {
      for (const [client, other] of pairs) {
        client.unpipe(other).resume()
        other.unpipe(client).resume()
      }
    },
    stop: () => {
      for (const pair of pairs) for (const one of pair) one.destroy()
      server.close()
    },
  }
}
