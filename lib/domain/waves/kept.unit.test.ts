import { describe, expect, it } from 'vitest'
import type { FieldChange } from '../changes'
import { keptOf } from './kept'

const field = (path: string, current?: string, desired?: string): FieldChange => ({
  ...{ object: path === 'version' ? 'machine' : 'bootstrap', path },
  ...(current === undefined ? {} : { current }),
  ...(desired === undefined ? {} : { desired }),
})
const change = (id: string, state: string, ...fields: FieldChange[]) => ({ id, state, fields })
const kept = (...changes: ReturnType<typeof change>[]) =>
  keptOf(changes).map(({ change: { id }, kept: is }) => `${id} ${is}`)
const had = (...changes: ReturnType<typeof change>[]) =>
  kept(...changes).flatMap((one) => (one.endsWith(' kept') ? [one.split(' ')[0]] : []))
const first = change('a', 'done', field('/etc/motd', 'one', 'two'))

describe('what a group went through', () => {
  it.each([
    ['something else', field('/etc/other', undefined, 'x')],
    ['a newer value', field('/etc/motd', 'two', 'three')],
    ['a newer release', field('version', '4.21.9', '4.21.14')],
  ])('stays when it wants %s', (_, wants) => {
    expect(had(change('b', 'waiting', wants), first)).toEqual(['a'])
  })

  it.each([
    ['the value before', field('/etc/motd', 'two', 'one')],
    ['to be rid of it', field('/etc/motd', 'two')],
    ['what is not shown', { ...field('/etc/motd', 'two', 'three'), secret: true as const }],
    ['what had no known value', field('/etc/motd', undefined, 'three')],
  ])('does not when it wants %s', (_, wants) => {
    expect(had(change('b', 'waiting', wants), first)).toEqual([])
  })

  it.each([
    ['the value before', 'back', field('/etc/motd', 'two', 'one')],
    ['to be rid of it', 'back', field('/etc/motd', 'two')],
    ['what is not shown', 'unsure', { ...field('/etc/motd', 'two', 'three'), secret: true as const }],
    ['what had no known value', 'unsure', field('/etc/motd', undefined, 'three')],
    ['what could not be read', 'unsure', field('configuration', 'rendered-a', 'rendered-b')],
  ])('is known to be taken back, or may be: %s', (_, is, wants) => {
    expect(kept(change('b', 'waiting', wants), first)).toEqual([`a ${is}`])
    // What came after that may bring it back once more, and nobody can tell.
    expect(kept(change('c', 'waiting', field('/etc/x', 'a', 'b')), change('b', 'done', wants), first)).toContain(
      `a ${is}`,
    )
  })

  it.each([
    ['some of its former lines, with others', '-two', 'one\np2'],
    ['some of them alone', 'b1', 'a1'],
  ])('of a file of which only lines that differ are known, it does not when it wants %s', (_, from, to) => {
    const lines = change('a', 'done', field('/etc/motd', 'one\na1\na2', 'two\nb1\nb2'))
    expect(had(change('b', 'waiting', field('/etc/motd', from, to)), lines)).toEqual([])
    expect(had(change('b', 'waiting', field('/etc/motd', 'two\nb1', 'three\nb1')), lines)).toEqual(['a'])
  })

  it('does not when it wants what was there two changes before', () => {
    const second = change('b', 'done', field('/etc/motd', 'two', 'three'))
    expect(had(change('c', 'waiting', field('/etc/motd', 'three', 'one')), second, first)).toEqual([])
    expect(had(change('c', 'waiting', field('/etc/motd', 'three', 'four')), second, first)).toEqual(['b', 'a'])
  })

  it('does not where one of the configurations could not be read', () => {
    const unread = [field('configuration', 'rendered-a', 'rendered-b')]
    expect(had(change('b', 'waiting', ...unread), first)).toEqual([])
    expect(had(change('b', 'waiting'), first)).toEqual([])
    expect(had(change('b', 'waiting', field('/etc/other', undefined, 'x')), change('a', 'done', ...unread))).toEqual([])
    // What was there before that nobody knows, and it may be what is wanted.
    const second = change('b', 'done', field('/etc/motd', 'two', 'three'))
    const dark = change('a', 'done', ...unread)
    expect(had(change('c', 'waiting', field('/etc/motd', 'three', 'one')), second, dark)).toEqual([])
    expect(had(change('c', 'waiting', field('/etc/other', undefined, 'x')), second, dark)).toEqual(['b'])
    // Nothing came after it.
    expect(had(change('a', 'done', ...unread))).toEqual(['a'])
  })

  it('does not when it wants the release before', () => {
    const release = change('a', 'done', field('version', '4.21.9', '4.21.14'))
    expect(had(change('b', 'waiting', field('version', '4.21.14', '4.21.9')), release)).toEqual([])
    expect(had(change('b', 'done', field('version', '4.21.14', '4.22.4')), release)).toEqual(['b', 'a'])
  })

  it('is nothing that was not through, and what was taken back once is not there by what came after', () => {
    const back = change('b', 'done', field('/etc/motd', 'two', 'one'))
    const again = change('c', 'waiting', field('/etc/other', undefined, 'x'))
    expect(had(again, back, first)).toEqual(['b'])
    expect(had(again, change('b', 'superseded', field('/etc/motd', 'two', 'one')), first)).toEqual([])
  })
})
