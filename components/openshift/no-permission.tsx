import Link from 'next/link'

/** In the place of buttons that could not act. */
export const NoPermission = ({ why, clusterId }: { why: string; clusterId: string }) => (
  <p className="max-w-[84ch] text-sm text-pretty text-ink-2">
    {why}{' '}
    <Link
      href={`/clusters/${clusterId}`}
      prefetch={false}
      className="underline decoration-line-strong underline-offset-2 hover:decoration-ink"
    >
      What is missing, and the manifest
    </Link>
  </p>
)
