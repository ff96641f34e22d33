import { createHash } from 'node:crypto'
import type { SetChange } from '@/lib/domain/boot-images/managed/preview'

/** What going on comes to beside its writes. */
export interface Foretold {
  follows: string[]
  warnings: string[]
  /** What becomes of each machine set. */
  sets: SetChange[]
}

/** Handed out with what was shown, and handed back: how many machines a set has changes nothing of it. */
export const shownOf = ({ sets }: Foretold): string =>
  createHash('sha256')
    .update(JSON.stringify(sets.map(({ replicas: _, ...set }) => set)))
    .digest('hex')
