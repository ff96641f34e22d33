import { expect, test } from 'vitest'
import { latchOf, ofParts, type LatchPart, type LatchStateName } from './status'

const part = (state: LatchStateName): LatchPart => ({ state, message: `${state}.` })
const whole = (clusterApi: LatchStateName, pools: LatchStateName) =>
  ofParts({ clusterApi: part(clusterApi), pools: part(pools) })

test.each<[LatchStateName, string]>([
  ['unreachable', 'writes refused'],
  ['not-watching', 'not watched now'],
  ['ineffective', 'latch without effect'],
  ['missing', 'latch incomplete'],
])('that one part could not be tried does not stand before what is known of the other: %s', (state, trouble) => {
  for (const found of [whole('untried', state), whole(state, 'untried')]) {
    expect(found.state).toBe(state)
    expect(latchOf('webhook', { findings: [], proved: null, ...found }, undefined, null).trouble).toBe(trouble)
  }
  expect(whole('untried', 'intact').state).toBe('untried')
  expect(whole('intact', 'untried').state).toBe('untried')
})
