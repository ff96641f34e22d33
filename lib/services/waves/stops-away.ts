import type { Tx } from '@/lib/db/client'
import { standsWith } from '@/lib/domain/waves'
import { lastPlaces } from './last-places'
import { lastWords } from './last-words'
import { newestOf, speaksItself } from './newest'
import { nowOf } from './run-members'
import type { Run } from './runs'

/**
 * Words by which waves are stopped, of no run at this moment, while anything of them is not through that was in a cluster as that was
 * disconnected. By their ids.
 */
export async function stopsAway(tx: Tx, runs: readonly Run[]): Promise<string[]> {
  const said = await tx.waveWord.findMany({ where: { what: 'stop', endedAt: null } })
  const stops = said.filter(
    (word) => !runs.some(({ policy, wish }) => policy.id === word.policyId && wish === word.wish),
  )
  if (stops.length === 0) return []
  const now = new Date()
  const words = await lastWords(tx, new Map(stops.map(({ wish }) => [wish, now])), new Map())
  const left = [...words.values()].flat().filter(({ unfinished }) => unfinished?.left)
  const newest = await newestOf(tx, [...new Set(left.map(({ groupId }) => groupId))])
  const places = await lastPlaces(tx, newest, words.keys())
  return stops.flatMap(({ id, policyId, wish, at }) => {
    // What was over by then was not of what was stopped.
    const span = { began: at.getTime(), exacts: new Set<string>() }
    const away = left.some((word) => {
      const row = newest.get(word.groupId)
      if (word.wish !== wish || places.get(word.groupId)?.policyId !== policyId) return false
      if (row && speaksItself(row) && row.wish === wish) return false
      return standsWith(word, row ? nowOf(row) : word.absent, span)?.state === 'open'
    })
    return away ? [id] : []
  })
}
