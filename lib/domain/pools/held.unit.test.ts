import { describe, expect, it } from 'vitest'
import { wayOut } from './held'

describe('what takes the risk of a pause away', () => {
  it.each([
    [true, true, 'approve its configuration'],
    [true, false, 'its configuration is approved, and has to go'],
    [false, true, 'approve its configuration and resume the pool'],
    [false, false, 'resume the pool'],
  ])('held by Drydock: %s, an approval is missing: %s', (ours, asks, way) => {
    expect(wayOut({ ours, asks })).toBe(way)
  })
})
