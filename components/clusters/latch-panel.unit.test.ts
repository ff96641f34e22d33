import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { ClusterActions } from './actions'
import { LatchPanel } from './latch-panel'

vi.mock('next/navigation', () => ({ useRouter: () => ({}), usePathname: () => '/clusters/a' }))

const html = (form: string) => {
  const latch = { form, status: null, checkedAt: null }
  const policy = { governs: 'none', labelKey: null, labelValue: null, pools: null, reasonNeeded: false }
  const found = { counts: { held: 0 }, gate: { state: 'none' } }
  const cluster = {
    id: 'a',
    name: 'a',
    latch,
    policy,
    away: null,
    discovery: null,
    ...found,
  } as unknown as ClusterDetail
  const panel = createElement(LatchPanel, { cluster, mayWrite: false, actions: {} as ClusterActions })
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, panel))
}

// It asks for the permissions as well: whoever granted them need not wait for the next look.
test.each(['none', 'webhook'])('what Drydock finds is looked at again on demand, whatever stands there: %s', (form) =>
  expect(html(form)).toContain('Check now'),
)
