import { expect, test } from 'vitest'
import { parseClusterFilter, parseNodeFilter, parseSetFilter } from './filter'

test.each([
  ['platform:"bare metal"', 'BareMetal'],
  ['platform:bare-metal', 'BareMetal'],
  ['platform:baremetal', 'BareMetal'],
  ['platform:BareMetal', 'BareMetal'],
  ['platform:vSphere', 'VSphere'],
  ['platform:aws', 'aws'],
])('a platform is found as pages say it, and as its type is: %s', (text, value) => {
  for (const parse of [parseClusterFilter, parseSetFilter, parseNodeFilter])
    expect(parse(text)).toMatchObject({ terms: [{ key: 'platform', values: [value] }], problems: [] })
})
