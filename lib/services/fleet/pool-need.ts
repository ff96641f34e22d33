import type { PoolInNeed } from '@/lib/db/queries/pools-in-need'
import type { Need } from './needs-you'

/** A pool that does not go on by itself, and where to look. */
export function poolNeed(p: PoolInNeed): Need {
  const nodes = p.stuck === 1 ? 'One node is stuck' : `${p.stuck} nodes are stuck`
  const expiry = p.certExpiry?.toISOString().slice(0, 10)
  const [sentence, detail] = p.degraded
    ? [p.sentence, p.stuck > 0 ? `${nodes}.` : '']
    : p.stuck > 0
      ? [`${nodes}. ${p.example ?? ''}`.trim(), p.sentence]
      : [p.sentence, `A certificate that its nodes trust expires on ${expiry}, and is rotated before.`]
  return {
    ...{ kind: 'pool', id: p.id, where: `${p.cluster} / ${p.name}`, hull: null, held: p.paused },
    since: p.since?.toISOString() ?? null,
    sentence,
    detail,
    action: { label: 'See the pool', href: `/pools/${p.id}` },
  }
}
