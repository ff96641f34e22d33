import { RelativeTime } from '@/components/ui'
import type { Lost } from '@/lib/services/openshift/lost'

/** Of a decision, that what the cluster shows is not by it any more, and by whom it is. */
export function Overwritten({ lost: { at, by } }: { lost: Lost }) {
  return (
    <span className="text-needs-ink">
      {by === 'drydock' ? 'Drydock' : (by ?? 'Somebody')} wrote something else since, as was seen{' '}
      <RelativeTime at={at} />: what stands there now is not by this decision.{' '}
    </span>
  )
}
