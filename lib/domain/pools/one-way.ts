import type { Effect, NodeEffect } from './effect'

const DONE: Partial<Record<Effect, string>> = { drain: 'drained', reboot: 'drained and rebooted' }

/** What cannot be undone of a configuration that is let go. Of what is done to a node, only what is known. */
export function oneWayWords(effect: NodeEffect | null | undefined): string {
  const done = effect ? DONE[effect.does] : undefined
  const how = done ? `, ${effect?.sure ? '' : 'by default '}${done}` : ''
  return `A node that has begun goes through to the end${how}; holding the pool again stops those that have not begun. Where somebody raises maxUnavailable meanwhile, more nodes go at once: that is not held.`
}
