import { expect, test } from 'vitest'
import { besideOperator, unheardRisk, unheardVerdict, updateLags } from './unheard'
import { SKEW_VERDICTS } from './verdict'

const closes = {
  ...{ type: 'Upgradeable', status: 'False', reason: 'ClusterBootImageSkewError' },
  message: 'using OCP boot image version 4.12.0',
}
const NOTHING = 'Boot images keep nothing closed.'
const unheard = { what: 'MachineConfiguration', message: 'it is forbidden' }

test.each(SKEW_VERDICTS)('%s never says that nothing is closed where the cluster’s own operator says so', (verdict) => {
  const judgement = { verdict, sentence: `In range. As recorded. ${NOTHING}`, blocks: null as string | null }
  const beside = (to: typeof judgement, operator: typeof closes | null) =>
    besideOperator(to, operator, '4.22.4', 'Manual')
  const { sentence, ...rest } = beside(judgement, closes)
  expect(sentence).toBe(
    'As recorded. Its ClusterOperator keeps updates closed for its boot images: using OCP boot image version 4.12.0.',
  )
  expect(rest).toEqual(
    ['ok', 'unknown', 'not-enforced'].includes(verdict)
      ? { verdict: 'unknown', blocks: expect.stringContaining('beyond 4.22 are closed') as string }
      : { verdict, blocks: null },
  )
  for (const other of [null, { ...closes, status: 'True' }, { ...closes, reason: 'DegradedPool' }])
    expect(beside(judgement, other)).toEqual(judgement)
  const blocked = { ...judgement, blocks: 'Updates are closed.' }
  expect(beside(blocked, closes)).toEqual(blocked)
})

test('what is not heard is unknown, in the API server’s words, and closed where its operator says so', () => {
  expect(unheardVerdict(unheard, null, '4.22.4')).toEqual({
    ...{ verdict: 'unknown', blocks: null },
    sentence:
      'Its MachineConfiguration cannot be read: it is forbidden. Whether boot images keep updates closed is not known.',
  })
  const told = unheardVerdict(unheard, closes, '4.22.4')
  expect(told).toMatchObject({
    verdict: 'unknown',
    blocks: expect.stringContaining('beyond 4.22 are closed') as string,
  })
  expect(told.sentence).not.toContain('not known')
})

test('by images that are not heard nothing is good, and what is bad stays so', () => {
  for (const level of ['no', 'possible', 'unknown'] as const)
    expect(unheardRisk(unheard, { level, sentence: 'Every one is good.' })).toEqual({
      level: 'unknown',
      sentence: 'Whether a new machine joins is not known: its MachineConfiguration cannot be read: it is forbidden.',
    })
  expect(unheardRisk(unheard, { level: 'likely', sentence: 'It may never join.' })).toMatchObject({ level: 'likely' })
})

test.each([
  [
    'Acknowledged: 04.012.09. The operator cannot read this version and so does not compare it.',
    'Acknowledged: 04.012.09. The operator cannot read this version.',
  ],
  [
    'No boot image version is recorded, and without one the operator blocks nothing.',
    'No boot image version is recorded.',
  ],
])('what is not compared contradicts no operator that closes updates: %s', (said, facts) => {
  const judgement = { verdict: 'not-enforced', sentence: `${said} ${NOTHING}`, blocks: null } as const
  const told = besideOperator(judgement, closes, '4.22.4', 'Manual')
  expect(told).toMatchObject({ verdict: 'unknown', blocks: expect.stringContaining('are closed') as string })
  expect(told.sentence).toMatch(`${facts} Its ClusterOperator keeps updates closed`)
  // Somebody has turned it off: the operator opens them by that.
  expect(besideOperator(judgement, closes, '4.22.4', 'None')).toMatchObject({ verdict: 'not-enforced', blocks: null })
})

test('ClusterVersion follows an operator that is heard, and that closes nothing for boot images any more', () => {
  expect(updateLags({ type: 'Upgradeable', status: 'True' }, closes)).toBe(true)
  expect(updateLags({ ...closes, reason: 'DegradedPool' }, closes)).toBe(true)
  // As from 4.23 on.
  const message = `Upgrades have been disabled because the cluster is ${closes.message}`
  const unnamed = { ...closes, reason: 'RiskNameNotCompatibleWithReasonProperty', message }
  expect(updateLags({ type: 'Upgradeable', status: 'True' }, unnamed)).toBe(true)
  const among = { ...closes, reason: 'MultipleReasons', message: `For multiple reasons:\n* No.\n* ${message}` }
  expect(updateLags({ type: 'Upgradeable', status: 'True' }, among)).toBe(false)
  expect(updateLags(closes, closes)).toBe(false)
  expect(updateLags(null, closes)).toBe(false)
  expect(updateLags(undefined, closes)).toBe(false)
  expect(updateLags({ type: 'Upgradeable', status: 'True' }, { ...closes, reason: 'DegradedPool' })).toBe(false)
})
