import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Agent, request } from 'undici'
import type { Pair } from '@/worker/gate/certificates'

/** How the work on a host is answered. The questions before it are always answered rightly. */
export type Mode = 'right' | 'fails' | 'hangs' | 'twice'

/** Stands before an updater and answers wrongly when it is told to. */
export async function crooked(updaterUrl: string, caPem: string, tls: Pick<Pair, 'certPem' | 'keyPem'>) {
  const agent = new Agent({ connect: { ca: caPem } })
  let mode: Mode = 'right'
  let wrong = 0
  const pass = async (path: string, body: Buffer) => {
    const answer = await request(new URL(path, updaterUrl), { dispatcher: agent, method: 'POST', body })
    return { code: answer.statusCode, text: await answer.body.text() }
  }
  const answer = async (path: string, body: Buffer, response: ServerResponse): Promise<void> => {
    const how = path.includes('/updatemachine/') ? mode : 'right'
    if (how !== 'right') wrong++
    if (how === 'hangs') return
    if (how === 'fails') return send(response, 500, '{"message":"the disk of the host is full"}')
    const { code, text } = await pass(path, body)
    const { socket } = response
    send(response, code, text)
    if (how !== 'twice') return
    // The host is told twice as well, and what comes second nobody asked for.
    const second = await pass(path, body)
    const length = Buffer.byteLength(second.text)
    socket?.write(`HTTP/1.1 ${second.code} OK\r\ncontent-length: ${length}\r\n\r\n${second.text}`)
  }
  const open = new Set<Socket>()
  const server = createServer({ key: tls.keyPem, cert: tls.certPem }, (asked, response) => {
    const parts: Buffer[] = []
    asked.on('data', (part: Buffer) => parts.push(part))
    asked.on('end', () => void answer(asked.url ?? '/', Buffer.concat(parts), response).catch(() => response.destroy()))
  })
  server.on('secureConnection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** How often it has answered wrongly since it was asked to. */
    wrong: () => wrong,
    answers(next: Mode) {
      wrong = 0
      mode = next
      // What hangs is given up, as when such a host is started anew.
      if (next === 'right') for (const socket of open) socket.destroy()
    },
    stop: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await agent.destroy()
    },
  }
}
export type Crooked = Awaited<ReturnType<typeof crooked>>

function send(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(text)
}
