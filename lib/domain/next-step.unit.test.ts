import { expect, it } from 'vitest'
import { nextStep } from './next-step'

it.each([
  [
    "media-0: Drain not completed yet: Pod media/encoder-0: cannot evict pod as it would violate the pod's disruption budget.",
    /run one more replica/,
  ],
  ['Provisioned, without a node', /console of the instance/],
])('knows what to do about %s', (error, step) => expect(nextStep(error)).toMatch(step))

it.each([null, '', 'CreateError: no such flavor'])('advises nothing about %j', (error) =>
  expect(nextStep(error)).toBeUndefined(),
)
