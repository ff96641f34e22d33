import { expect, test } from 'vitest'
import { waysOn } from './action-steps'

const step = (state: 'stored' | 'failed' | 'open') => ({ label: '', body: {}, state, at: null })

test.each<[what: string, states: ('stored' | 'failed' | 'open')[], leave: string, on: string]>([
  ['nothing is stored', ['failed', 'open'], 'Cancel it', 'To go on, cancel it and decide anew on what is there now.'],
  ['a step is', ['stored', 'failed'], 'Leave it as it stands', 'To go on, leave it as it stands and decide anew on what is there now.'], // prettier-ignore
])('after a conflict where %s, the button is the one that the text names', (_, states, leave, on) => {
  expect(waysOn({ steps: states.map(step) })).toEqual({ leave, on })
})
