import { stringify } from 'yaml'
import type { LatchForm, PoolsHeld } from '@/lib/domain/latch/parts'
import { latchWords } from '@/lib/domain/latch/words'
import { discoverAnew } from '../clusters/discover-anew'
import { parseInput, requirePermission, type Ctx } from '../context'
import { barredWords } from './barred'
import { PreviewLatchInput } from './schemas'
import { latchTarget, mayPauseNone, mayPausePools } from './target'

export interface LatchPreview {
  form: LatchForm
  /** How pools are held; null: there are none. */
  pools: PoolsHeld | null
  /** What of that somebody may choose between; none: there is one way. */
  choices: PoolsHeld[]
  /** Why it is not to be had so, by what Drydock may not do there; null: it is. */
  barred: string | null
  /** Drydock watches, and may pause none of the kinds there. */
  pausesNone: boolean
  why: string
  strength: string[]
  sideEffects: string[]
  yaml: string
  objects: { kind: string; name: string }[]
}

/** Everything that installing would write, as YAML for Git too, and what it can and cannot do. Writes nothing. */
export async function previewLatch(ctx: Ctx, input: unknown): Promise<LatchPreview> {
  requirePermission(ctx, 'fleet:read')
  const { clusterId, ...asked } = parseInput(PreviewLatchInput, input)
  const target = await latchTarget(clusterId, asked)
  // What is offered goes by what Drydock may do: that is to be of now.
  discoverAnew(clusterId)
  const { form, pools, choices, holds, manifests, capabilities, governance, breakGlass } = target
  const pausesPools = mayPausePools(target)
  return {
    ...{ form, pools, choices, barred: barredWords(target), pausesNone: form === 'watch' && mayPauseNone(target) },
    ...latchWords(form, { guard: capabilities.latch.guard, governance, breakGlass, holds, pools, pausesPools }),
    yaml: manifests.map((object) => stringify(object, { lineWidth: 110 })).join('---\n'),
    objects: manifests.map((o) => ({ kind: String(o.kind), name: (o.metadata as { name: string }).name })),
  }
}
