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

it('has the exact patch of an acknowledgement where there is no button for it, and only there', () => {
  const patch = { path: '/api/v1/x', body: { data: { ack: 'true' } }, command: 'oc patch x' }
  const remedies = [{ sentence: 'Acknowledge it:', patch, link: null, acknowledges: true }]
  const blocker = { source: 'gate', item: 'ack', reason: 'x', message: '', said: 'both', sentence: 'It waits.' }
  const props = {
    ...{
      blocker: { ...blocker, since: null, remedies } as unknown as BlockerDto,
      gate: { state: 'waiting' } as GateDto,
    },
    ...{ unfolded: true, clusterId: 'c', onDo: () => undefined },
  }
  const html = (mayAct: boolean, cannotWrite: string | null) =>
    renderToStaticMarkup(createElement(BlockerItem, { ...props, mayAct, cannotWrite }))
  for (const without of [html(false, null), html(false, 'It may not.'), html(true, 'It may not.')]) {
    expect(without).toContain('oc patch x')
    expect(without).toContain('What can be done')
  }
  expect(html(true, null)).not.toContain('oc patch x')
  expect(html(true, null)).not.toContain('can be done')
})
