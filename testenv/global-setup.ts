import type { TestProject } from 'vitest/node'
import { startTestenv } from './up'

/** One environment for the whole run of vitest's project `cluster`. DRYDOCK_TESTENV_GATES=off: without in-place updates. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const inPlace = process.env.DRYDOCK_TESTENV_GATES !== 'off'
  const testenv = await startTestenv({ inPlace, openshift: true, dir: process.env.DRYDOCK_TESTENV_DIR })
  const { server, caPem, tokens, kubeconfigs } = testenv
  project.provide('testenv', { server, caPem, tokens, kubeconfigs, inPlace })
  let over = false
  void testenv.failed.then((why) => !over && console.error(why))
  return async () => {
    over = true
    await testenv.stop()
  }
}
