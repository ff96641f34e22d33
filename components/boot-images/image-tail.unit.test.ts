import { expect, test } from 'vitest'
import { imageTail } from './image-tail'

test.each([
  ['rhcos-9-8-20260428-0-gcp-x86-64', '9-8-20260428-0-gcp-x86-64'],
  ['rhcos-414-92-202310170514-0-gcp-x86-64', '414-92-202310170514-0-gcp-x86-64'],
  ['azureopenshift:aro4:aro_422:422.98.20260428', '422.98.20260428'],
  ['ami-0f1e2d3c4b5a69788', 'ami-0f1e2d3c4b5a69788'],
  ['gallery-of-our-own-images', 'r-own-images'],
])('of %s the version is never cut', (name, kept) => {
  expect(name.slice(-imageTail(name))).toBe(kept)
})
