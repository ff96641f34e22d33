import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { BlockerDto, GateDto } from '@/lib/services/upgradeable/get-cluster'
import { BlockerItem } from './blocker'

it('says for how long a reason stands', () => {
  const blocker = {
    ...{ source: 'operator', item: 'machine-config', reason: 'x', message: '', said: 'both', sentence: 'It fails.' },
    ...{ since: new Date(Date.now() - 4.5 * 60_000).toISOString(), remedies: [] },
  } as unknown as BlockerDto
  const props = {
    blocker,
    gate: undefined,
    unfolded: false,
    mayAct: false,
    cannotWrite: null,
    clusterId: 'c',
    onDo: () => undefined,
  }
  const text = renderToStaticMarkup(createElement(BlockerItem, props)).replaceAll(/<[^>]+>/g, '')
  expect(text).toContain('for 4 min')
  expect(text).not.toContain('ago')
})

it('has the reason in the place of the button where Drydock may not acknowledge', () => {
  const blocker = {
    source: 'gate',
    item: 'ack',
    reason: 'x',
    message: '',
    said: 'both',
    sentence: 'It waits.',
    since: null,
  }
  const props = {
    ...{ blocker: { ...blocker, remedies: [] } as unknown as BlockerDto, gate: { state: 'waiting' } as GateDto },
    ...{ unfolded: false, mayAct: true, clusterId: 'c', onDo: () => undefined },
  }
  const html = (cannotWrite: string | null) =>
    renderToStaticMarkup(createElement(BlockerItem, { ...props, cannotWrite }))
  expect(html(null)).toContain('<button')
  expect(html('Drydock may not change configmaps.')).toContain('Drydock may not change configmaps. ')
  expect(html('Drydock may not change configmaps.')).not.toContain('<button')
})
