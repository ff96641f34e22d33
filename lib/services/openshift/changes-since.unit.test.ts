import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { changesSince } from './changes-since'
import type { ActionKind } from './kind'
import { keepLooked, keepWritten } from './looked-at'

const kind = { stands: ({ spec }: KubeObject) => String(spec?.mode ?? 'Manual') } as unknown as ActionKind
const body: JsonObject = { spec: { managedBootImages: null } }
const entry = (manager: string, time: string, subresource?: string) => ({
  manager,
  time: `2026-11-26T${time}Z`,
  subresource,
})
const object = (...managedFields: ReturnType<typeof entry>[]) =>
  ({ metadata: { name: 'cluster', uid: 'u', resourceVersion: '9', generation: 5, managedFields } }) as KubeObject
const row = (...at: string[]) => ({
  ...{ resourceVersion: '7', generation: 4n, calls: [] },
  steps: [
    ...at.map((time) => ({ label: '', body, state: 'stored', at: `2026-11-26T${time}Z` })),
    { label: '', body, state: 'open', at: null },
  ] as never,
})
const UNKNOWN = 'Who that was is not known: whoever only takes fields away leaves no trace.'

test.each<[string, ReturnType<typeof entry>[], string[], string]>([
  [
    'the last one before the first step',
    [entry('drydock', '10:00:00'), entry('kim', '11:00:00')],
    [],
    'kim wrote it last.',
  ],
  ['Drydock itself, by another decision', [entry('drydock', '10:00:00')], [], 'drydock wrote it last.'],
  [
    'somebody who wrote after a step',
    [entry('drydock', '10:00:00'), entry('argo', '10:00:00')],
    ['10:00:00.712'],
    'argo wrote it last.',
  ],
  [
    'nobody: only Drydock’s own entry is as new',
    [entry('kim', '09:00:00'), entry('drydock', '10:00:00')],
    ['10:00:01'],
    UNKNOWN,
  ],
  ['nobody: Drydock’s entry went with the field', [entry('kim', '09:00:00')], ['10:00:01.3'], UNKNOWN],
  ['nobody: the operator answers in the status', [entry('operator', '10:00:09', 'status')], ['10:00:01'], UNKNOWN],
])('who changed it since is %s', (_, entries, stored, said) => {
  const words = changesSince(kind, object(...entries), row(...stored), body)
  expect(words).toBe(`${said} It then said: Manual (resourceVersion 9, you saw 7).`)
})

test.each<[string, JsonObject | null, string]>([
  ['what is decided', { mode: 'None' }, 'It then said'],
  ['something else', { logLevel: 'Debug', old: 1 }, 'What had changed is logLevel, old; it still said'],
  ['nothing of the spec', { logLevel: 'Normal' }, 'It still said'],
  ['what nobody knows', null, 'It then said'],
])('of what was looked at, %s is another', (of, spec, said) => {
  const now = object(entry('kim', '11:00:00'))
  const { metadata } = now
  if (spec) keepLooked({ ...now, metadata: { ...metadata, uid: of, resourceVersion: '7' }, spec })
  const words = changesSince(
    kind,
    { ...now, metadata: { ...metadata, uid: of }, spec: { logLevel: 'Normal' } },
    row(),
    body,
  )
  expect(words).toBe(`kim wrote it last. ${said}: Manual (resourceVersion 9, you saw 7).`)
})

test('between two writes it is said what is another one than the first of them left it', () => {
  const now = { ...object(entry('kim', '11:00:00')), spec: { logLevel: 'Debug', mode: 'Manual' } }
  keepWritten({ ...now, spec: { logLevel: 'Normal', mode: 'Manual' } }, '7')
  expect(changesSince(kind, now, row('10:00:00'), body)).toBe(
    'kim wrote it last. What had changed is logLevel; it still said: Manual (resourceVersion 9, you saw 7).',
  )
})
