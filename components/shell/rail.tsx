import clsx from 'clsx'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { Shell as ShellData } from '@/lib/services/fleet/get-shell'
import { Mark } from './mark'
import { More } from './more'
import { IN_BAR, isHere, PLACES } from './nav'
import { useScopedHref } from './scope'

/** All pages; on a phone a bar below with those that are used with one thumb, and the others behind More. */
export function Rail({ waiting }: { waiting: ShellData['waiting'] }) {
  const path = usePathname()
  const scoped = useScopedHref()
  return (
    <nav
      aria-label="Pages"
      className="sticky top-0 flex h-dvh flex-col gap-px border-r border-line px-2 py-3.5 max-phone:fixed max-phone:inset-x-0 max-phone:top-auto max-phone:bottom-0 max-phone:z-30 max-phone:h-auto max-phone:flex-row max-phone:border-t max-phone:border-r-0 max-phone:bg-panel max-phone:px-1 max-phone:py-1 max-phone:pb-[max(4px,env(safe-area-inset-bottom))]"
    >
      <Link
        href={scoped('/')}
        className="mb-3 flex items-center gap-2 px-2 py-0.5 text-[14px] font-semibold tracking-tight max-phone:hidden"
      >
        <Mark />
        Drydock
      </Link>
      {PLACES.map(({ href, label, count, thumb }) => {
        const here = isHere(href, path)
        const n = count ? waiting[count] : 0
        return (
          <Link
            key={href}
            href={scoped(href)}
            aria-current={here ? 'page' : undefined}
            className={clsx(
              'flex min-h-[30px] items-center justify-between gap-1.5 rounded-md px-2',
              thumb ? IN_BAR : 'max-phone:hidden',
              here ? 'bg-sunk font-medium text-ink' : 'text-ink-2 hover:bg-sunk/60 hover:text-ink',
            )}
          >
            {label}
            {n > 0 && (
              <span className="rounded-full bg-needs-soft px-1.5 text-xs font-medium text-needs-ink max-phone:absolute max-phone:top-0.5 max-phone:right-0.5 max-phone:px-1 max-phone:text-[10px]">
                {n}
                <span className="sr-only"> waiting for you</span>
              </span>
            )}
          </Link>
        )
      })}
      <More path={path} />
    </nav>
  )
}
