import { expect, it } from 'vitest'
import { heldStep } from './node-step'

const node = (phase: 'updated' | 'draining' | 'degraded' | 'paused', current: string, desired = current) => ({
  ...{ phase, currentConfig: current, desiredConfig: desired, currentImage: null, desiredImage: null },
})
const to = { target: 'b', image: null }
const row = (state: string, begun = false) => ({ state, startedAt: begun ? new Date(0) : null })

it('says of a held pool which nodes have begun', () => {
  expect(heldStep(node('paused', 'a'), to, undefined)).toEqual({ state: 'waiting', begun: false })
  expect(heldStep(node('draining', 'a', 'b'), to, row('waiting'))).toEqual({ state: 'updating', begun: true })
  expect(heldStep(node('updated', 'b'), to, row('waiting'))).toEqual({ state: 'done', begun: true })
  expect(heldStep(node('degraded', 'a', 'b'), to, row('updating', true))).toEqual({ state: 'failed', begun: true })
})

it('takes what was there before, and what goes elsewhere, for nothing that began', () => {
  expect(heldStep(node('updated', 'b'), to, undefined)).toEqual({ state: 'done', begun: false })
  expect(heldStep(node('degraded', 'b'), to, row('done'))).toEqual({ state: 'done', begun: false })
  expect(heldStep(node('draining', 'a', 'c'), to, row('waiting'))).toEqual({ state: 'waiting', begun: false })
})

it('goes by the OS image that is built for the pool, where that is known', () => {
  const moving = { ...node('draining', 'b'), currentImage: 'x', desiredImage: 'y' }
  expect(heldStep(moving, { target: 'b', image: 'y' }, row('waiting'))).toEqual({ state: 'updating', begun: true })
  expect(heldStep(moving, { target: 'b', image: 'z' }, row('waiting'))).toEqual({ state: 'waiting', begun: false })
})
