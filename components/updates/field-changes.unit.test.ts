import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { ChangeSet, Outlook } from '@/lib/domain/changes'
import { builtInWords } from './asked'
import { FieldChanges } from './field-changes'

const none = { counts: {}, created: 0, deleted: 0, headline: '' }
const unsaid = { inPlace: null, uncovered: [], replace: none, unknown: none } as unknown as Outlook
const change = { object: 'machine' as const, path: 'version', current: '1', desired: '2' }
const changeSet = { pairs: [{ from: 'a', machines: 1, changes: [change] }], fields: [change] } as unknown as ChangeSet

test.each([
  [false, 'not known: an updater did not say'],
  [true, 'nobody is asked: only by replacing'],
])('what updaters did not say, let go replacing: %s', (replaced, words) => {
  const props = { changeSet, kind: 'MachineDeployment', outlook: unsaid, replaced }
  expect(renderToStaticMarkup(createElement(FieldChanges, props))).toContain(words)
})

test.each([
  [{ ...unsaid, inPlace: none, unknown: undefined }, 'one approval, in place where that can be'],
  [unsaid, 'one approval, in place where that can be'],
  [{ ...unsaid, unknown: undefined }, 'one approval, by replacing its machines'],
])('where no policy says anything', (outlook, words) => expect(builtInWords(outlook as Outlook)).toBe(words))
