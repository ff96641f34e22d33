import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MessageBody } from '@/lib/domain/messages'

export interface Receiver {
  url: string
  got: { headers: IncomingHttpHeaders; body: MessageBody }[]
  /** What it answers from now on. */
  answers(status: number): void
  stop(): Promise<void>
}

/** Somebody’s receiver of messages, on this machine. */
export async function receiver(): Promise<Receiver> {
  const got: Receiver['got'] = []
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      got.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) as MessageBody })
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('said so')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/s3cret`,
    got,
    answers: (next) => (status = next),
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
