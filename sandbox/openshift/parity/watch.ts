import { Agent, request } from 'undici'
import type { JsonObject } from '../../../lib/domain/json'
import { COLLECTION, type Server } from './server'

/** A watch of MachineConfigurations. `ended` resolves when the server has ended it, with the errors that it told. */
export async function openWatch(server: Server): Promise<{ ended: () => Promise<JsonObject[]> }> {
  const dispatcher = new Agent({ connect: { ca: server.caPem } })
  const { statusCode, body } = await request(`${server.url}${COLLECTION}?watch=true`, {
    dispatcher,
    headers: { authorization: `Bearer ${server.token}` },
    bodyTimeout: 60_000,
  })
  if (statusCode !== 200) throw new Error(`The watch was answered ${statusCode}.`)
  const read = async (): Promise<JsonObject[]> => {
    let text = ''
    for await (const chunk of body as AsyncIterable<Buffer>) text += chunk.toString()
    await dispatcher.destroy()
    const events = text.split('\n').filter(Boolean)
    return events.map((line) => JSON.parse(line) as JsonObject).filter(({ type }) => type === 'ERROR')
  }
  const errors = read()
  return { ended: () => errors }
}
