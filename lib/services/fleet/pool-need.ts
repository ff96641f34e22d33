import type { PoolInNeed } from '@/lib/db/queries/pools-in-need'
import type { PoolReviewRow } from '@/lib/db/queries/pool-review'
import { POOL } from '@/lib/domain/latch/hold'
import { passesByItself } from '@/lib/domain/pools/rendering'
import { degradedSince, isDegradedByNodes } from '@/lib/domain/pools/state'
import { hasToWords, type TheirPause } from '@/lib/domain/their-pause'
import type { PoolChange } from '../pools/open-change'
import { whenWords } from './need-words'
import type { Need } from './needs-you'
import { isNearEnd, rotationWords } from './rotation-words'

/** What nobody has to approve any more says so, and when it goes. `pause`: somebody's own, below which it stays. */
function approvedWords(change: Pick<PoolChange, 'state' | 'standing'> | undefined, pause: TheirPause | null): string {
  const { standing } = change ?? {}
  if (change?.state !== 'waiting' || !(standing?.due || standing?.goes)) return ''
  const { due, timing } = standing
  const said = `Its configuration ${due ? 'is approved' : 'needs no approval'}`
  if (pause) return `${said}, but ${hasToWords(pause, POOL)}. `
  const place = timing.why === 'wave' ? timing.wave?.place : null
  if (place?.asksPerson) return `${said}: its wave ${place.name} begins when somebody says so. `
  if (place) return `${said}, and waits in its wave ${place.name}: ${place.why}. `
  return `${said}, ${whenWords(timing)}. `
}

/** A pool that does not go on by itself, and where to look. `change`: of its that is not over. `pause`: somebody's own. */
export function poolNeed(
  p: PoolInNeed,
  change?: Pick<PoolChange, 'state' | 'standing'>,
  pause: TheirPause | null = null,
): Need {
  const nodes = p.stuck === 1 ? 'One node is stuck' : `${p.stuck} nodes are stuck`
  const dangerous = p.paused && isNearEnd(p.certExpiry) ? rotationWords(p.certExpiry) : ''
  const [sentence, detail] = p.degraded
    ? [p.sentence, `${p.stuck > 0 ? `${nodes}. ` : ''}${dangerous}`.trim()]
    : p.stuck > 0
      ? [`${nodes}. ${p.example ?? ''}`.trim(), `${p.sentence} ${dangerous}`.trim()]
      : [
          p.sentence,
          `${approvedWords(change, pause)}${
            rotationWords(p.certExpiry) ||
            'When the certificates that its nodes trust expire is not known, and they are rotated before.'
          }`,
        ]
  return {
    ...{ kind: 'pool', id: p.id, where: `${p.cluster} / ${p.name}`, hull: null, held: p.paused },
    ...(dangerous ? { dangerous: true } : {}),
    since: ((p.degraded ? degradedSince(p.conditions) : null) ?? p.since)?.toISOString() ?? null,
    sentence,
    detail,
    action: { label: 'See the pool', href: `/pools/${p.id}` },
  }
}

type Paused = Pick<
  PoolInNeed,
  'id' | 'degraded' | 'stuck' | 'example' | 'certExpiry' | 'conditions' | 'clusterUpdating'
>

/** Both are "w-0: what it says". */
const nodeOf = (words: string | null | undefined): string | undefined => words?.split(':')[0]

/** So long before a certificate expires nobody has to look after a wave that goes on by itself. */
const WEEKS_MS = 28 * 86_400_000

/**
 * What is only paused, and waits for an approval that is asked for already, is not said twice; nor is what is approved, and goes by
 * itself before the certificate expires, or what its operator gets over by itself: nothing more is asked of anybody. `told`: changes
 * that say themselves which node is stuck. Each names one, so more than that one is the pool's to say. `byOthers`: changes that stay
 * below somebody's own pause.
 */
export function besidesAsked<P extends Paused>(
  pools: readonly P[],
  asked: readonly { groupId: string; state: string }[],
  told: readonly { groupId: string; stuckReason: string | null }[],
  open: ReadonlyMap<string, Pick<PoolChange, 'id' | 'goesByItself' | 'standing'>>,
  byOthers: ReadonlyMap<string, TheirPause> = new Map(),
): P[] {
  const waiting = new Set(asked.flatMap(({ groupId, state }) => (state === 'waiting' ? [groupId] : [])))
  const reasons = new Map(told.map(({ groupId, stuckReason }) => [groupId, stuckReason]))
  const isTold = ({ id, stuck, example, conditions }: P): boolean =>
    stuck === 1 && reasons.has(id) && nodeOf(reasons.get(id)) === nodeOf(example) && isDegradedByNodes(conditions)
  const goes = ({ id, certExpiry }: P): boolean => {
    const change = open.get(id)
    if (!change?.goesByItself || !change.standing || byOthers.has(change.id)) return false
    const { timing } = change.standing
    return [timing, ...timing.besides].every(
      ({ open: isOpen, opens, why, wave }) =>
        !certExpiry ||
        isOpen ||
        (opens !== null
          ? new Date(opens) < certExpiry
          : // Nobody knows when it begins, but it needs nobody.
            why === 'wave' && !wave?.place?.needsPerson && certExpiry.getTime() > Date.now() + WEEKS_MS),
    )
  }
  return pools.filter((p) => {
    const near = p.certExpiry !== null && p.certExpiry.getTime() < Date.now() + WEEKS_MS
    if (p.degraded && p.stuck === 0 && !near && passesByItself(p.conditions, p.clusterUpdating, Date.now()))
      return false
    if (p.degraded || p.stuck > 0) return !isTold(p)
    return !(waiting.has(p.id) || goes(p))
  })
}

/** A pause whose date has come. */
export const poolReviewNeed = (p: PoolReviewRow): Need => ({
  ...{ kind: 'pool-review', id: p.id, where: `${p.cluster} / ${p.name}`, hull: null, held: true },
  since: p.reviewAt.toISOString(),
  sentence: `The pool was paused by ${p.actorName}, and that is due for review.`,
  detail: 'Its nodes take up nothing for as long as it is paused.',
  action: { label: 'See the pool', href: `/pools/${p.id}` },
})
