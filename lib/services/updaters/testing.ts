import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from '@/lib/domain/json'
import { HOOKS } from './transport'

export interface FakeUpdater {
  url: string
  /** Hooks in the order in which they came, without discovery. */
  asked: string[]
  /** What it says to a hook; undefined: an empty Success. */
  says: Record<string, (request: JsonObject) => JsonObject | undefined>
  stop(): Promise<void>
}

const ALL = ['CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine']

/** A Runtime Extension on loopback whose answers a test chooses. */
export async function fakeUpdater(tls: { certPem: string; keyPem: string }, hooks = ALL): Promise<FakeUpdater> {
  const asked: string[] = []
  const says: FakeUpdater['says'] = {}
  const server = createServer({ cert: tls.certPem, key: tls.keyPem }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const name = (request.url ?? '').split('/')[3]!.split('?')[0]
      const hook = hooks.find((candidate) => candidate.toLowerCase() === name)
      if (hook) asked.push(hook)
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject
      const answer = hook
        ? { ...(hook === 'UpdateMachine' ? { retryAfterSeconds: 0 } : {}), ...says[hook]?.(body) }
        : { handlers: hooks.map((h) => ({ name: h.toLowerCase(), requestHook: { apiVersion: HOOKS, hook: h } })) }
      response.end(JSON.stringify({ status: 'Success', ...answer }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ asked, says },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const mergePatch = (document: Json): JsonObject => ({
  patchType: 'JSONMergePatch',
  patch: Buffer.from(JSON.stringify(document)).toString('base64'),
})
