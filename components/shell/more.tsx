import clsx from 'clsx'
import { ChevronUp } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useLazyMenu } from '@/components/ui/lazy-menu'
import { IN_BAR, isHere, PLACES } from './nav'

const load = () => import('./more-menu')
const MoreMenu = lazy(load)

/** On a phone: the pages that are not in the bar. */
export function More({ path }: { path: string }) {
  const { asked, button } = useLazyMenu(load)
  const here = PLACES.find(({ href, thumb }) => !thumb && isHere(href, path))
  const face = {
    className: clsx(
      'hidden items-center rounded-md max-phone:flex',
      IN_BAR,
      here ? 'bg-sunk font-medium text-ink' : 'text-ink-2',
    ),
    children: (
      <>
        {here?.label ?? 'More'}
        <ChevronUp aria-hidden size={12} className="shrink-0" />
      </>
    ),
    ...(here ? { 'aria-label': `More pages; this is ${here.label}` } : {}),
  }
  const closed = <button {...face} {...button} />
  return <Suspense fallback={closed}>{asked ? <MoreMenu path={path} face={face} /> : closed}</Suspense>
}
