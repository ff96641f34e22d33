import { expect, test } from 'vitest'
import { skewEvidence, type ImageEvidence } from './evidence'

const because = 'names the image of RHCOS 9.6.20251015, without its build number'
const image = { kind: 'RHCOSVersion', version: '9.6.20251015-0', sure: 'certain', because } as const
const why = (...dated: ImageEvidence['dated'][]) => {
  const sets = dated.map((one, n) => ({ name: `set-${n}`, replicas: 3, dated: one }))
  return skewEvidence({ mode: null, recorded: {}, acknowledged: false, history: [], sets }).best?.why
}

test('an image that several sets have is named as each of them does', () => {
  expect(why(image, image)).toBe(`Both machine sets that can be dated name ${because.slice('names '.length)}.`)
  const other = { ...image, because: 'names the image of RHCOS 9.6.20251015-0' }
  expect(why(image, image, other)).toBe('All 3 machine sets that can be dated name the image of 9.6.20251015-0.')
})
