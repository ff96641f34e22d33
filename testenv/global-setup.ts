import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { IN_PLACE, WITHOUT_IN_PLACE } from './managers'
import { startTestenv, type RunningTestenv } from './up'

/** One environment for the whole run of vitest's project `cluster`. DRYDOCK_TESTENV_GATES=off: without in-place updates. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const inPlace = process.env.DRYDOCK_TESTENV_GATES !== 'off'
  const testenv = await startTestenv({ inPlace, openshift: true, dir: process.env.DRYDOCK_TESTENV_DIR })
  const { server, caPem, tokens, kubeconfigs, dir } = testenv
  const control = await serveControl(testenv)
  const { port } = control.address() as AddressInfo
  project.provide('testenv', {
    ...{ server, caPem, tokens, kubeconfigs, inPlace, dir },
    control: `http://127.0.0.1:${port}`,
  })
  let over = false
  void testenv.failed.then((why) => !over && console.error(why))
  return async () => {
    over = true
    control.close()
    control.closeAllConnections()
    await testenv.stop()
  }
}

/** The processes of the environment belong to this one: tests ask it to restart the managers (POST /restart). */
async function serveControl(testenv: RunningTestenv): Promise<Server> {
  const server = createServer((request, response) => {
    const end = (code: number, text: string) => response.writeHead(code).end(text)
    if (request.method !== 'POST' || request.url !== '/restart') return void end(404, 'POST /restart')
    testenv.restartManagers(testenv.inPlace ? IN_PLACE : WITHOUT_IN_PLACE).then(
      () => end(200, 'ready'),
      (error: unknown) => end(500, String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
