import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PoolLegend } from '@/components/pools/legend'
import { HullLegend } from './legend'

it.each([HullLegend, PoolLegend])(
  'shows what is under way as the hull does, apart from what is still to come: %o',
  (Legend) => {
    const counts = [
      { mark: 'in-place' as const, moving: true, count: 2 },
      { mark: 'in-place' as const, count: 1 },
    ]
    const [moving, waiting] = renderToStaticMarkup(createElement(Legend, { counts })).split('</li>')
    expect(moving).toContain('data-moving')
    expect(waiting).not.toContain('data-moving')
  },
)

it('calls a node that hangs stuck, apart from what is degraded', () => {
  const counts = [
    { mark: 'failed' as const, moving: true, count: 2 },
    { mark: 'failed' as const, count: 1 },
  ]
  const html = renderToStaticMarkup(createElement(PoolLegend, { counts }))
  expect(html).toMatch(/2 stuck.*1 degraded/)
})
