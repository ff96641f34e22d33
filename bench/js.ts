import { gzipSync } from 'node:zlib'
import { request } from 'undici'
import { setUp } from './setup'
import { built, startBenchWeb, UNBUILT } from './web'

/** JavaScript that a browser loads for the first page of somebody who is signed in, gzipped as a server would send it. */
export async function js(machines: number): Promise<Record<string, number>> {
  if (!built()) throw new Error(UNBUILT)
  const bench = await setUp(machines)
  try {
    const web = await startBenchWeb()
    try {
      const result: Record<string, number> = {}
      for (const [name, path] of Object.entries({ fleet: '/', machines: '/machines', updates: '/updates' })) {
        const { scripts, bytes } = await scriptsOf(web.url, path, web.cookie)
        result[`${name}JsGzipKb`] = Math.round(bytes / 102.4) / 10
        result[`${name}Scripts`] = scripts
      }
      return result
    } finally {
      await web.stop()
    }
  } finally {
    await bench.stop()
  }
}

/** Scripts that the page itself names; `noModule` ones are for browsers of long ago, and not loaded by others. */
async function scriptsOf(url: string, path: string, cookie: string): Promise<{ scripts: number; bytes: number }> {
  const { statusCode, body } = await request(url + path, { headers: { cookie } })
  const html = await body.text()
  if (statusCode !== 200) throw new Error(`${path} answered HTTP ${statusCode}.`)
  const tags = html.match(/<script[^>]*\ssrc="[^"]+"[^>]*>/g) ?? []
  const sources = new Set(
    tags
      .filter((tag) => !/\snomodule/i.test(tag))
      .map((tag) => /\ssrc="([^"]+)"/.exec(tag)![1]!.replaceAll('&amp;', '&')),
  )
  let bytes = 0
  for (const source of sources) {
    const script = await request(new URL(source, url), { headers: { cookie } })
    if (script.statusCode !== 200) throw new Error(`${source} answered HTTP ${script.statusCode}.`)
    bytes += gzipSync(Buffer.from(await script.body.arrayBuffer())).length
  }
  if (sources.size === 0) throw new Error(`${path} names no script.`)
  return { scripts: sources.size, bytes }
}
