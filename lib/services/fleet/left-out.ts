import type { FleetScope } from '@/lib/db/queries/fleet'
import { SHOWN } from '@/lib/db/queries/shown'
import type { Need } from './needs-you'

const PAGES = {
  updates: { where: 'More updates', label: 'See all updates', href: '/updates', q: null },
  machines: { where: 'More machines', label: 'See the machines', href: '/machines', q: 'error:yes' },
  'boot-images': { where: 'More boot images', label: 'See boot images', href: '/boot-images', q: null },
  pools: { where: 'More pools', label: 'See all pools', href: '/pools', q: null },
  upgradeable: { where: 'More gates', label: 'See all gates', href: '/upgradeable', q: null },
} as const

type Page = keyof typeof PAGES

interface LeftOut {
  first: <T>(rows: readonly T[] | Promise<readonly T[]>, page: Page) => Promise<T[]>
  more: () => Need[]
}

/** Of each thing the first are shown. Of what is left out, one line for each page that has all of it. */
export function leftOut(scope: FleetScope): LeftOut {
  const left = new Set<Page>()
  return {
    first: async (asked, page) => {
      const rows = await asked
      if (rows.length > SHOWN) left.add(page)
      return rows.slice(0, SHOWN)
    },
    more: () =>
      (Object.keys(PAGES) as Page[]).flatMap((page) => {
        const { where, label, href, q } = PAGES[page]
        const params = new URLSearchParams({ ...scope, ...(q && { q }) }).toString()
        const need: Need = {
          ...{ kind: 'more', id: page, where, hull: null, held: false, since: null },
          ...{ sentence: 'Not all of them are listed here.', detail: '' },
          action: { label, href: params ? `${href}?${params}` : href },
        }
        return left.has(page) ? [need] : []
      }),
  }
}
