import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { BlockerDto } from '@/lib/services/upgradeable/get-cluster'
import { BlockerItem } from './blocker'

it('says for how long a reason stands', () => {
  const blocker = {
    ...{ source: 'operator', item: 'machine-config', reason: 'x', message: '', said: 'both', sentence: 'It fails.' },
    ...{ since: new Date(Date.now() - 4.5 * 60_000).toISOString(), remedies: [] },
  } as unknown as BlockerDto
  const props = { blocker, gate: undefined, unfolded: false, mayAct: false, onDo: () => undefined }
  const text = renderToStaticMarkup(createElement(BlockerItem, props)).replaceAll(/<[^>]+>/g, '')
  expect(text).toContain('for 4 min')
  expect(text).not.toContain('ago')
})
