import clsx from 'clsx'
import Link from 'next/link'

/** One of several clusters; its page does not take the place of the sheet. */
export function ClusterName({ id, name, className }: { id: string; name: string; className?: string }) {
  return (
    <Link
      href={`/boot-images/${id}`}
      target="_blank"
      prefetch={false}
      className={clsx('font-medium wrap-anywhere hover:underline', className)}
    >
      {name}
      <span className="sr-only"> (its page, in a new tab)</span>
    </Link>
  )
}
