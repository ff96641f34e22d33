import type { Play } from './play'
import type { Shape } from './stage'

/** One rollout that is worth a log. */
export interface Scenario {
  title: string
  shape: Shape
  /** Played where an updater covers everything. */
  inPlace?: boolean
  /** What somebody does, until it is over. */
  play(at: Play): Promise<void>
}

const rollout = async (at: Play) => {
  await at.wants('second')
  await at.over()
}

const counts = ({ replicas, maxSurge = 1, maxUnavailable = 0 }: Shape) =>
  `${replicas} replicas, maxSurge ${maxSurge}, maxUnavailable ${maxUnavailable}`

const replaced = (shape: Shape): Scenario => ({ title: `Replaced, ${counts(shape)}`, shape, play: rollout })
const updated = (shape: Shape): Scenario => ({
  ...{ title: `Updated in place, ${counts(shape)}`, shape, inPlace: true, play: rollout },
})

/** What somebody does when so many machines are of the second revision. */
const inTheMiddle = (
  what: string,
  shape: Shape,
  at: number,
  act: (play: Play) => Promise<void>,
): Omit<Scenario, 'inPlace'> => ({
  title: `${what} in the middle, ${counts(shape)}`,
  shape,
  play: async (play) => {
    await play.wants('second')
    await play.has(at, 'second')
    await act(play)
  },
})

const scaled = (replicas: number) => async (play: Play) => {
  await play.scales(replicas)
  await play.over(replicas)
}
const changedAgain = async (play: Play) => {
  await play.wants('third')
  await play.over()
}
const changedBack = async (play: Play) => {
  await play.wants('first')
  await play.over()
}

const SIZES = [3, 6]
const STRATEGIES = [
  { maxSurge: 1, maxUnavailable: 0 },
  { maxSurge: 0, maxUnavailable: 1 },
  { maxSurge: 1, maxUnavailable: 1 },
  { maxSurge: 3, maxUnavailable: 1 },
]
const QUARTER = { maxSurge: '25%', maxUnavailable: '25%' }
const SPARE = { maxSurge: 1, maxUnavailable: 0 }
const NO_SPARE = { maxSurge: 0, maxUnavailable: 1 }
const MANY = { maxSurge: 3, maxUnavailable: 1 }

export const SCENARIOS: Scenario[] = [
  ...SIZES.flatMap((replicas) => STRATEGIES.map((strategy) => replaced({ replicas, ...strategy }))),
  replaced({ replicas: 6, ...QUARTER }),
  inTheMiddle('Replaced, scaled up', { replicas: 3, ...SPARE }, 2, scaled(6)),
  inTheMiddle('Replaced, scaled down', { replicas: 6, ...MANY }, 3, scaled(3)),
  inTheMiddle('Replaced, changed again', { replicas: 4, ...MANY }, 2, changedAgain),
  inTheMiddle('Replaced, changed back', { replicas: 4, ...SPARE }, 2, changedBack),
  ...(['Oldest', 'Newest'] as const).map((deletes) => {
    const shape: Shape = { replicas: 4, apart: true, deletes, ...NO_SPARE }
    return { ...replaced(shape), title: `Replaced, ${deletes} first, ${counts(shape)}` }
  }),
  {
    title: 'Replaced, each when somebody deletes it, 3 replicas',
    shape: { replicas: 3, onDelete: true },
    play: async (play) => {
      await play.wants('second')
      for (let left = 3; left > 0; left--) await play.deletesOne()
      await play.over()
    },
  },
  updated({ replicas: 3, ...NO_SPARE }),
  updated({ replicas: 3, ...SPARE }),
  updated({ replicas: 6, ...MANY }),
  ...[
    inTheMiddle('Updated in place, scaled up', { replicas: 3, ...NO_SPARE }, 2, scaled(5)),
    inTheMiddle('Updated in place, scaled down', { replicas: 4, ...NO_SPARE }, 2, scaled(2)),
    inTheMiddle('Updated in place, scaled down to one', { replicas: 3, ...NO_SPARE }, 2, scaled(1)),
    inTheMiddle('Updated in place, changed again', { replicas: 3, ...NO_SPARE }, 2, changedAgain),
    inTheMiddle('Updated in place, changed back', { replicas: 3, ...SPARE }, 2, changedBack),
  ].map((scenario) => ({ ...scenario, inPlace: true })),
]
