export interface Place {
  href: string
  label: string
  /** After `g`. */
  key: string
  /** Which count of the shell stands beside it. */
  count?: 'changes' | 'skew'
  /** In the bottom bar on a phone; the rest is under More. */
  thumb?: boolean
}

export const PLACES: Place[] = [
  { href: '/', label: 'Fleet', key: 'f', thumb: true },
  { href: '/updates', label: 'Updates', key: 'u', count: 'changes', thumb: true },
  { href: '/machines', label: 'Machines', key: 'm', thumb: true },
  { href: '/boot-images', label: 'Boot images', key: 'b', count: 'skew', thumb: true },
  { href: '/pools', label: 'Pools', key: 'o' },
  { href: '/upgradeable', label: 'Upgradeable', key: 'r' },
  { href: '/policies', label: 'Policies', key: 'p' },
  { href: '/clusters', label: 'Clusters', key: 'c' },
  { href: '/activity', label: 'Activity', key: 'a' },
]

export const isHere = (href: string, path: string): boolean =>
  href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`)

/** One place of the bottom bar on a phone. */
export const IN_BAR =
  'max-phone:relative max-phone:min-h-12 max-phone:grow max-phone:justify-center max-phone:gap-1 max-phone:px-0.5 max-phone:text-[11px]'
