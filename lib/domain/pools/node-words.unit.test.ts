import { expect, it } from 'vitest'
import { explain } from '../errors'
import { nodeWords, operatorsWords } from './node-words'
import type { ConfigNode } from './types'

const REASON = 'failed to drain node: n1 after 1 hour. Please see machine-config-controller logs for more information'
const node = { name: 'n1', state: 'Degraded', reason: REASON, steps: null } as unknown as ConfigNode
const drain = { sentence: 'A disruption budget keeps shop/ledger-0 where it is.', hint: null, failing: true }

it.each([
  ['of a drain that waits', drain],
  ['of anything else', null],
])('what the operator says of a degraded node is told apart, and known: %s', (_, waits) => {
  const { sentence } = nodeWords(node, 'degraded', null, waits as unknown as Parameters<typeof nodeWords>[3])
  const said = operatorsWords(sentence)
  if (waits) expect(sentence).toContain(`${drain.sentence} Degraded after an hour, and still tried: failed to drain`)
  expect(REASON.startsWith(said!)).toBe(true)
  const about = { api: 'machine.openshift.io', infrastructure: null, condition: 'MachineConfigDaemon', reason: null }
  expect(explain({ ...about, message: said! })?.entry.id).toBe('mco-drain')
})

it('where it gives no reason, nothing is told as its words', () => {
  const { sentence } = nodeWords({ ...node, reason: null } as ConfigNode, 'degraded', null, null)
  expect(operatorsWords(sentence)).toBeNull()
})
