import type { ActionKind } from './kind'

/** How a step that failed is tried once more, as its button is called. */
export interface OnceMore {
  do: string
  /** In the middle of a sentence. */
  then: string
}

export const onceMore = ({ goesOn }: Pick<ActionKind, 'goesOn'>): OnceMore =>
  goesOn ? { do: 'Go on', then: 'go on' } : { do: 'Retry', then: 'retry' }
