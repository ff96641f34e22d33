import { expect, it } from 'vitest'
import type { ChangeSet, FieldChange } from '@/lib/domain/changes/types'
import { machinesOf } from './field-machines'

const version = (current: string): FieldChange => ({ object: 'machine', path: 'version', current, desired: 'v1.34.4' })
const file: FieldChange = { object: 'bootstrap', path: 'files[0]', desired: 'x' }
const pair = (from: string, machines: number, ...changes: FieldChange[]) => ({
  from,
  machines,
  changes,
  fingerprint: '',
})

it('where revisions differ, a row says how many machines of which revision it is about', () => {
  const [two, three] = [version('v1.34.2'), version('v1.34.3')]
  const pairs = [pair('web-a', 2, two, file), pair('web-b', 1, three, { ...file }), pair('web-c', 4, three, file)]
  const changeSet: ChangeSet = { pairs, fields: [two, file, three] }
  expect(machinesOf(two, changeSet)).toEqual({ machines: 2, from: ['web-a'] })
  expect(machinesOf(three, changeSet)).toEqual({ machines: 5, from: ['web-b', 'web-c'] })
  expect(machinesOf(file, changeSet)).toBeNull()
  expect(machinesOf(two, { pairs: pairs.slice(0, 1), fields: [two] })).toBeNull()
})
