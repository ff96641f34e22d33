import { expect, it } from 'vitest'
import { NOT_NOW, STOPPED, WAITING } from './names'
import { UNASKED, whyUnasked, type WhyUnasked } from './unasked'

it.each(Object.entries(UNASKED))('a hold that is put back because of it says so: %s', (why, words) =>
  expect(whyUnasked(`${STOPPED}${words}`)).toBe(why as WhyUnasked),
)
it.each([
  null,
  `${WAITING}to version v1.34.1`,
  `${STOPPED}${NOT_NOW}paused by Bo`,
  `${STOPPED}what let it go was void by then`,
])('other holds do not: %s', (held) => expect(whyUnasked(held)).toBeNull())
