import type { FleetScope } from '@/lib/db/queries/fleet'
import { SHOWN } from '@/lib/db/queries/shown'
import type { Need } from './needs-you'

const PAGES = {
  updates: { where: 'More updates', label: 'See all that wait', href: '/updates', also: {} },
  running: {
    where: 'More updates under way',
    label: 'See all that run',
    href: '/updates',
    also: { tab: 'running' },
  },
  machines: { where: 'More machines', label: 'See the machines', href: '/machines', also: { q: 'error:yes' } },
  'boot-images': { where: 'More boot images', label: 'See boot images', href: '/boot-images', also: {} },
  pools: { where: 'More pools', label: 'See all pools', href: '/pools', also: {} },
  upgradeable: { where: 'More gates', label: 'See all gates', href: '/upgradeable', also: {} },
} as const

type Page = keyof typeof PAGES

const UNSEEN = 'Behind many that go by themselves others may wait for somebody: not all were looked at.'

interface LeftOut {
  first: <T>(rows: readonly T[] | Promise<readonly T[]>, page: Page) => Promise<T[]>
  /** Not all was looked at. */
  mayBeMore: (page: Page) => void
  more: () => Need[]
}

/** Of each thing the first are shown. Of what is left out, one line for each page that has all of it. */
export function leftOut(scope: FleetScope): LeftOut {
  const [left, maybe] = [new Set<Page>(), new Set<Page>()]
  return {
    first: async (asked, page) => {
      const rows = await asked
      if (rows.length > SHOWN) left.add(page)
      return rows.slice(0, SHOWN)
    },
    mayBeMore: (page) => void maybe.add(page),
    more: () =>
      (Object.keys(PAGES) as Page[]).flatMap((page) => {
        const { where, label, href, also } = PAGES[page]
        const params = new URLSearchParams({ ...scope, ...also }).toString()
        const need: Need = {
          ...{ kind: 'more', id: page, where, hull: null, held: false, since: null },
          ...{ sentence: left.has(page) ? 'Not all of them are listed here.' : UNSEEN, detail: '' },
          action: { label, href: params ? `${href}?${params}` : href },
        }
        return left.has(page) || maybe.has(page) ? [need] : []
      }),
  }
}
