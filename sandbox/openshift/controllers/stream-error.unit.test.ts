import { expect, test } from 'vitest'
import { streamError } from './stream-error'

test.each([
  [undefined, 'unexpected end of JSON input'],
  ['', 'unexpected end of JSON input'],
  ['{"stream": "a', 'unexpected end of JSON input'],
  ['{"stream": "a",', 'unexpected end of JSON input'],
  ['{"stream": oops', `invalid character 'o' looking for beginning of value`],
  ['oops', `invalid character 'o' looking for beginning of value`],
  ['{"stream": 1 x', `invalid character 'x' after object key:value pair`],
  ['{} x', `invalid character 'x' after top-level value`],
  ['[]', 'json: cannot unmarshal array into Go value of type stream.Stream'],
  ['"a"', 'json: cannot unmarshal string into Go value of type stream.Stream'],
  ['true', 'json: cannot unmarshal bool into Go value of type stream.Stream'],
])('what the operator says of the stream %s', (stream, words) => {
  expect(streamError(stream)).toBe(`failed to parse CoreOS stream metadata: ${words}`)
})
