import { expect, it } from 'vitest'
import type { ChangeSet, ShownChange } from '@/lib/domain/changes/types'
import { machinesOf } from './field-machines'

it('where revisions differ, a row says how many machines of which revision it is about', () => {
  const field: ShownChange = { object: 'machine', path: 'version', current: 'v1.34.2', desired: 'v1.34.4' }
  const pairs = [2, 1, 4].map((machines, i) => ({ from: `web-${i}`, machines, changes: [], fingerprint: '' }))
  const changeSet: ChangeSet = { pairs, fields: [] }
  expect(machinesOf({ ...field, of: ['web-0'] }, changeSet)).toEqual({ machines: 2, from: ['web-0'] })
  expect(machinesOf({ ...field, of: ['web-2', 'web-1'] }, changeSet)).toEqual({ machines: 5, from: ['web-1', 'web-2'] })
  expect(machinesOf(field, changeSet)).toBeNull()
})
