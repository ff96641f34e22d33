import { expect, test } from 'vitest'
import { movesNobody } from './moves-nobody'

const outcome = (counts: object) => ({ counts, created: 0, deleted: 0, headline: '' })
const empty = { groupKind: 'MachineConfigPool', state: 'waiting', outlook: { inPlace: outcome({ 'up-to-date': 2 }) } }

test.each<[string, object, boolean]>([
  ['of a pool of which no node lacks it', {}, true],
  ['that was rejected there', { state: 'rejected' }, true],
  ['that a node lacks', { outlook: { inPlace: outcome({ 'in-place': 1 }) } }, false],
  ['of which some has begun', { outlook: { ...empty.outlook, before: { inPlace: 1, created: 0, deleted: 0 } } }, false],
  ['that is under way', { state: 'running' }, false],
  ['that the cluster refused', { decision: { state: 'failed' } }, false],
  ['that stopped by itself', { stopped: { why: 'x' } }, false],
  ['of machines of Cluster API', { groupKind: 'MachineDeployment' }, false],
])('a change %s', (_, more, moves) => {
  expect(movesNobody({ ...empty, ...more } as Parameters<typeof movesNobody>[0])).toBe(moves)
})
