import { expect, test } from 'vitest'
import { NEW_WORDS, Story, type GroupWords, type Way } from './model'
import { Oracle, type Seen } from './oracle'
import type { Happened } from './recorder'
import type { Said } from './rules'

const [OLD, NEW] = ['v1', 'v2']
/** Long after anything else was said; what happens is told in milliseconds from here. */
const T = 100_000

/** Two groups of workers, of which the first is a wave of its own where its policy says so, and a control plane; all want something new. */
function scene() {
  const happened: Happened[] = []
  const keys: Record<string, string> = { first: OLD, md: OLD, plane: OLD }
  const words = { ...NEW_WORDS, replicas: 3, theirs: false, forPeople: [], wants: OLD }
  const story = new Story({ policies: {}, groups: { first: words, md: words, plane: words } })
  const members = (group: string) => [{ metadata: {}, status: { phase: 'Running' }, group }]
  const keyOfMachine = ({ group }: { group: string }) => keys[group]!
  const groups = Object.keys(keys).map((name) => ({ name, isPlane: name === 'plane' }))
  const oracle = new Oracle(story, { happened, members, keyOfMachine } as unknown as Seen, groups, () => 0)
  for (const name of Object.keys(keys)) story.group(1_000, name, () => ({ wants: NEW }), 1_000)
  return { happened, keys, story, oracle }
}
type Scene = ReturnType<typeof scene>
type Step = (scene: Scene) => void

const says =
  (words: Partial<GroupWords>, at = -1_000, group = 'md'): Step =>
  ({ story }) =>
    story.group(T + at, group, () => words, T + at)
const policy =
  (said: Said, of = 'all', at = -60_000): Step =>
  ({ story }) =>
    story.push(T + at, (now) => ({ ...now, policies: { ...now.policies, [of]: said } }), T + at)
const approved = (way: Way, more = {}, group = 'md') =>
  says({ approvals: { ada: { way, reason: false, ...more } } }, -50_000, group)
const event =
  (what: Happened['what'], at: number, key = NEW, group = 'md'): Step =>
  ({ happened, keys, oracle }) => {
    happened.push({ at: T + at, what, group, key, machine: 'm', isOver: keys[group] === key })
    oracle.look()
  }
const has =
  (group: string, key: string): Step =>
  ({ keys, oracle }) => {
    keys[group] = key
    oracle.look()
  }
/** It is let go, as it was approved. */
const goes = (group = 'md') => event('released', 0, NEW, group)
const both: Step[] = [says({ approvals: { ada: { way: 'in-place', reason: true } } }, -50_000), goes()]
const [inPlace, replace] = (['in-place', 'replace'] as const).map((way): Step[] => [approved(way), goes()]) as [
  Step[],
  Step[],
]
const plane = [approved('in-place', {}, 'plane'), goes('plane')]
const failed: Step = ({ oracle }) => oracle.failed('md', T + 10)
const person = { way: 'in-place', reason: true } as const
const [paused, frozen] = [{ paused: true }, { frozen: true }]
const [LET, WAY, NEVER, HELD] = ['nothing lets it', 'was approved', 'never let go with', 'was held']
const [TIME, STEP, FAILED] = ['not its time', 'second one of a step', 'one had failed']

test.each<[string, string | null, ...Step[]]>([
  ['let go, and nobody approved it', LET, goes()],
  ['let go as approved', null, ...inPlace],
  ['by one of two', LET, policy({ approvals: 2 }), ...inPlace],
  ['by two', null, policy({ approvals: 2 }), says({ approvals: { ada: person, bo: person } }), goes()],
  [
    'each another way',
    LET,
    policy({ approvals: 2 }),
    says({ approvals: { ada: person, bo: { ...person, way: 'replace' } } }),
    goes(),
  ],
  ['one more, for nobody knows the author', LET, policy({ notTheAuthor: true }), ...inPlace],
  ['without its reason', LET, policy({ reasonRequired: true }), ...inPlace],
  ['with its reason', null, policy({ reasonRequired: true }), ...both],
  ['expired', LET, policy({ expires: true }), approved('in-place', { isOld: true }), goes()],
  ['old, and nothing expires', null, approved('in-place', { isOld: true }), goes()],
  ['by nobody in place', null, policy({ approvals: 0 }), goes(), event('begun', 10)],
  ['by nobody replaced', WAY, policy({ approvals: 0 }), goes(), event('deleted', 10)],
  ['asked of nobody, refused by one', LET, policy({ approvals: 0 }), says({ forPeople: [NEW] }, -9_000), goes()],
  ['a way that its policy has not', LET, policy({ strategy: 'in-place-only' }), ...replace],
  [
    'by the more specific one',
    null,
    policy({ strategy: 'replace' }),
    policy({ strategy: 'in-place-only' }, 'md'),
    ...inPlace,
  ],
  ['let go in a freeze', LET, policy(frozen), ...inPlace],
  ['in the freeze of another', null, policy(frozen, 'first'), ...inPlace],
  ['in a freeze that nobody waits for', null, policy(frozen), says({ overridden: true }), ...inPlace],
  ['outside its window', LET, policy({ window: 'closed' }), ...inPlace],
  ['within its window', null, policy({ window: 'open' }), ...inPlace],
  ['while paused', LET, says(paused, -9_000), ...inPlace],
  ['paused in that moment', null, approved('in-place'), says(paused, -500), goes()],
  ['rejected', LET, says({ rejected: true }, -9_000), ...inPlace],
  ['before the wave before it', LET, policy({ waves: true }), ...inPlace],
  ['after the wave before it', null, policy({ waves: true }), has('first', NEW), ...inPlace],
  ['back to what it had', null, says({ wants: OLD }), event('released', 0, OLD)],
  [
    'back to what it had no more',
    LET,
    ({ oracle }) => oracle.against('md', OLD),
    says({ wants: OLD }),
    has('md', NEW),
    event('released', 0, OLD),
  ],
  ['all have it', null, has('md', NEW), goes()],

  ['replaced, approved in place', WAY, ...inPlace, event('deleted', 10)],
  ['in place, approved replacing', WAY, ...replace, event('begun', 10)],
  ['replaced as approved', null, ...replace, event('deleted', 10), event('created', 20)],
  ['to what was never let go', NEVER, ...inPlace, event('begun', 10, 'v3')],
  ['held, and nothing let go', NEVER, event('held', -9_000), event('begun', 0)],
  [
    'deleted by somebody',
    null,
    ({ oracle }) => oracle.allow('md', 1, 1),
    ...inPlace,
    event('deleted', 10),
    event('created', 20),
  ],
  ['held since long', HELD, ...inPlace, event('held', 10), event('begun', 4_000)],
  ['held right now', null, ...inPlace, event('held', 10), event('begun', 1_000)],
  ['paused since long', TIME, ...replace, says(paused, 10), event('deleted', 8_000)],
  ['to be held soon', null, ...inPlace, says(paused, 10), event('begun', 4_000)],
  ['a control plane asks the gate', TIME, ...plane, says(paused, 10, 'plane'), event('begun', 4_000, NEW, 'plane')],
  ['a control plane goes', null, ...plane, event('begun', 4_000, NEW, 'plane')],
  ['frozen in the middle', TIME, ...inPlace, policy(frozen, 'all', 10), event('begun', 9_000)],
  ['resumed', null, ...inPlace, says(paused, 10), says({ paused: false }, 7_000), event('begun', 8_000)],
  ['taken back', TIME, ...inPlace, says({ approvals: {}, tookBack: true }, 10), event('begun', 8_000)],
  ['one too many was taken back', null, ...inPlace, says({ tookBack: true }, 10), event('begun', 8_000)],
  ['two of a step', STEP, says({ steps: 1 }, -9_000), ...inPlace, event('begun', 10), event('begun', 20)],
  ['one of a step', null, says({ steps: 1 }, -9_000), ...inPlace, event('begun', 10)],
  ['two at once', null, ...inPlace, event('begun', 10), event('begun', 20)],
  ['after a failure', FAILED, policy({ stopsAt: 1 }), ...inPlace, failed, event('begun', 12_000)],
  [
    'accepted',
    null,
    policy({ stopsAt: 1 }),
    ...inPlace,
    failed,
    says({ acceptedAt: T + 5_000 }, 5_000),
    event('begun', 12_000),
  ],
  ['no matter how many fail', null, ...inPlace, failed, event('begun', 12_000)],
])('%s', (_, wrong, ...steps) => {
  const played = scene()
  for (const step of steps) step(played)
  const said = played.oracle.broken.join('\n')
  if (wrong) expect(said).toContain(wrong)
  else expect(said).toBe('')
})
