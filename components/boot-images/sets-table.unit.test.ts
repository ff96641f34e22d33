import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import type { ImageSetRow } from '@/lib/services/skew/list-sets'
import { SetsTable } from './sets-table'

vi.mock('next/navigation', () => ({
  useSearchParams: () => new URLSearchParams(),
  useRouter: () => ({}),
  usePathname: () => '/boot-images',
}))

const html = (set: Partial<ImageSetRow>) => {
  const row = { id: 's', name: 'worker', kind: 'MachineSet', state: 'current', replicas: 3, managed: true, ...set }
  return renderToStaticMarkup(createElement(SetsTable, { sets: [row as ImageSetRow], label: 'sets' }))
}
/** Images that are named, each by its whole name, or by the end of it. */
const named = (set: Partial<ImageSetRow>) =>
  new Set([...html(set).matchAll(/title="([^"]*rhcos[^"]*)"/gi)].map(([, title]) => title))

test('a copy of the release’s image is shown beside the one that is wanted, and the image itself once', () => {
  const images = { current: 'own/rhcos-9-8', wanted: 'rhcos-cloud/rhcos-9-8' }
  expect([...named({ ...images, outcome: 'update' })]).toEqual(expect.arrayContaining(Object.values(images)))
  // A template's name is not the version that is wanted.
  const same = { current: 'template-of-rhcos', wanted: 'RHCOS 9.8.20260428-0', outcome: 'unchanged' }
  expect(named(same)).toEqual(new Set([same.wanted]))
  // Also where the operator would change something else of the set.
  const its = { current: 'rhcos-9-8', wanted: 'rhcos-9-8', outcome: 'update' }
  expect(html(its)).not.toContain('→')
  expect(html({ ...its, outcome: 'undecided', state: 'unknown', current: 'rhcos-9-6' })).toContain('→')
})
