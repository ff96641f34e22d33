import { expect, it } from 'vitest'
import { pauseView, resumeView } from './pause-risk'
import type { Pool } from './types'

const pool: Pool = {
  ...{ name: 'worker', paused: true, maxUnavailable: 1, currentConfig: 'b', desiredConfig: 'b' },
  counts: { machines: 6, updated: 6, ready: 6, unavailable: 0, degraded: 0 },
  ...{ conditions: [], certificates: [], pending: false, required: false },
}
const RELEASE = { wanted: '4.22.4', desired: '4.22.4', clusterUpdating: false }

it.each([
  [null, 'may be taken up at once, unapproved'],
  [true, 'waits for its approval'],
  [false, 'is taken up at once'],
])('resuming promises a wait only where what comes next is known to wait: %s', (waits, what) => {
  const coming = { waits, words: 'whatever holds it', images: null, trouble: null }
  const facts = { ...RELEASE, now: 0, underWay: 0, coming }
  const words = `${what}: the pool is governed, and whatever holds it.`
  expect(resumeView(pool, facts).follows).toContain(`Whatever comes next ${words}`)
  const later = resumeView(pool, { ...facts, wanted: '4.22.5' }).follows.join(' ')
  if (waits === false) expect(later).toContain('all 6 nodes take it up')
  else expect(later).toContain(`As soon as it is, it ${words}`)
})

it.each([true, false, null])('and so also where nodes begin, of images as well: %s', (waits) => {
  const behind = { ...pool, currentConfig: 'a', counts: { ...pool.counts, updated: 0 } }
  const coming = { waits, words: 'whatever holds it', images: 'OS images are held otherwise', trouble: 'It is down.' }
  const { follows } = resumeView(behind, { ...RELEASE, now: 0, underWay: 0, coming })
  expect(follows.at(-3)).toMatch(/^Whatever comes next .*: the pool is governed, and whatever holds it\.$/)
  expect(follows.slice(-2)).toEqual(['It is down.', 'OS images are held otherwise.'])
})

it('where nobody knows whether the cluster is being updated, that is said before a pause', () => {
  expect(pauseView(pool, { ...RELEASE, clusterUpdating: null, now: 0, underWay: 0 }).warnings).toEqual([
    'Whether the cluster is being updated is not known: if it is, these nodes will be left behind in the middle of it.',
  ])
})

it('a pause stops no node that was told the newest configuration, also where it is degraded', () => {
  const counts = { ...pool.counts, updated: 4, ready: 4, unavailable: 1, degraded: 1 }
  const facts = { ...RELEASE, now: 0, underWay: 0 }
  const said = (of: number, updated = 4) =>
    pauseView({ ...pool, counts: { ...counts, updated } }, { ...facts, retrying: of }).follows
  const tries = '1 node that has begun and is degraded tries again by itself: a pause does not stop that.'
  expect(said(1)[0]).toMatch(/^1 node without the newest configuration stays/)
  expect(said(1)).toContain(tries)
  expect(said(1, 5)[0]).toMatch(/^No node is left that has not begun/)
  // Told something else, or nothing yet.
  expect(said(0)[0]).toMatch(/^2 nodes without the newest configuration stay/)
})

it('resuming begins nothing on a node that was told the newest configuration already, also where it is degraded', () => {
  const counts = { ...pool.counts, updated: 4, ready: 4, unavailable: 1, degraded: 1 }
  const facts = { ...RELEASE, now: 0, underWay: 0 }
  const said = (of: number, updated = 4) =>
    resumeView({ ...pool, currentConfig: 'a', counts: { ...counts, updated } }, { ...facts, retrying: of }).follows
  expect(said(0)[0]).toMatch(/^2 nodes begin to take up the newest configuration/)
  expect(said(1)[0]).toMatch(/^1 node begins to take up the newest configuration/)
  expect(said(1)).toContain('1 node that has begun and is degraded tries again by itself, paused or not.')
  expect(said(1, 5)[0]).toBe(
    'No node begins: 1 node that has begun and is degraded tries again by itself, paused or not.',
  )
  const both = resumeView({ ...pool, currentConfig: 'a', counts }, { ...facts, underWay: 1, retrying: 1 }).follows[0]
  expect(both).toBe(
    'No node begins: 1 node that has begun goes through to the end, and 1 node that has begun and is degraded tries again by itself, paused or not.',
  )
})

it('where its limit lets no node go, none is said to begin', () => {
  const none = { ...pool, maxUnavailable: '3', currentConfig: 'a', counts: { ...pool.counts, updated: 0 } }
  const facts = { ...RELEASE, now: 0, underWay: 0 }
  const why = 'By its maxUnavailable, "3", the operator takes no node of this pool.'
  expect(resumeView(none, facts).follows).toEqual([
    `No node begins. ${why}`,
    'Whatever comes next is taken up once maxUnavailable lets nodes go.',
  ])
  expect(resumeView(none, { ...facts, underWay: 1 }).follows[1]).toBe(
    '1 node that has begun goes through to the end, paused or not.',
  )
  expect(
    resumeView({ ...none, currentConfig: 'b', counts: pool.counts }, { ...facts, wanted: '4.22.5' }).follows,
  ).toEqual([
    'Nothing begins at once: all nodes have the configuration that the pool wants.',
    `The configuration of 4.22.5 is not rendered for this pool yet. ${why}`,
  ])
})
