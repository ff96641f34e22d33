import type { ServerResponse } from 'node:http'
import type { Json } from '../../../lib/domain/json'
import type { FaultState } from '../faults'
import { StatusError, type StatusBody } from '../status'

const JSON_TYPE = 'application/json'

/** One connection's answer, with the faults that are on. */
export class Answer {
  readonly warnings: string[] = []

  constructor(
    readonly response: ServerResponse,
    private readonly faults: FaultState,
  ) {}

  send(code: number, body: Json | StatusBody, type = JSON_TYPE) {
    this.text(code, [JSON.stringify(body)], type)
  }

  /** Pieces of one JSON document; written as the client takes them. */
  async text(code: number, pieces: Iterable<string>, type = JSON_TYPE): Promise<void> {
    const { response } = this
    const headers: Record<string, string | string[]> = { 'content-type': type, 'cache-control': 'no-cache, private' }
    if (this.warnings.length)
      headers.warning = this.warnings.map((text) => `299 - "${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`)
    if (code === 429 || code === 503) headers['retry-after'] = '1'
    response.writeHead(code, headers)
    if (this.faults.reset || this.faults.truncate) return this.broken([...pieces].join(''))
    let buffer = ''
    for (const piece of pieces) {
      buffer += piece
      if (buffer.length < 256 * 1024) continue
      const more = response.write(buffer)
      buffer = ''
      if (!more && !(await this.drained())) return
    }
    response.end(buffer)
  }

  private drained(): Promise<boolean> {
    const { response } = this
    return new Promise((resolve) => {
      const done = (open: boolean) => () => {
        response.off('drain', onDrain).off('close', onClose)
        resolve(open)
      }
      const onDrain = done(true)
      const onClose = done(false)
      response.on('drain', onDrain).on('close', onClose)
    })
  }

  private broken(text: string): void {
    const half = text.slice(0, Math.max(1, text.length >> 1))
    if (this.faults.reset) this.response.write(half, () => this.response.socket?.destroy())
    else this.response.end(half)
  }

  fail(error: unknown) {
    if (this.response.headersSent) {
      this.response.socket?.destroy()
      return
    }
    const known =
      error instanceof StatusError
        ? error
        : new StatusError(500, 'InternalError', `Internal error occurred: ${String(error)}`)
    this.send(known.code, known.status)
  }
}
