import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configDiff, type Rendered } from './config-diff'
import { lineDiff } from './lines'

describe('the difference between two configs', () => {
  const rendered = (more: Partial<Rendered> = {}): Rendered => ({
    ...{ name: 'a', release: null, files: [], units: [], values: {}, kernelArguments: [], extensions: [], users: [] },
    ...more,
  })
  const file = (path: string, text: string | null, mode = 420) => ({ path, text, mode, digest: `${text}` })

  it('names files, units, arguments and words, and what it does to a node', () => {
    const { changes, effect } = configDiff(
      rendered({
        files: [file('/etc/a', 'one\ntwo\n'), file('/etc/same', 'x')],
        kernelArguments: ['quiet'],
        values: { osImageURL: 'old' },
      }),
      rendered({
        files: [file('/etc/a', 'one\nthree\n'), file('/etc/same', 'x', 384)],
        kernelArguments: ['quiet', 'nosmt'],
        values: { osImageURL: 'new' },
        units: [{ name: 'a.service', text: 'x' }],
      }),
    )
    expect(changes.map(({ part, name, kind }) => `${kind} ${part} ${name}`)).toEqual([
      'changed value osImageURL',
      'added kernel argument nosmt',
      'changed file /etc/a',
      'changed file /etc/same',
      'added unit a.service',
    ])
    expect(changes[2]?.lines).toEqual([
      { sign: ' ', text: 'one' },
      { sign: '-', text: 'two' },
      { sign: '+', text: 'three' },
    ])
    expect(changes[3]?.note).toBe('mode 0644 → 0600')
    expect(effect).toContain('rebooted')
  })

  it('shows no credential, and says when only a credential differs', () => {
    const secret = 'dmVyeS1zZWNyZXQtdmFsdWU'
    const { changes, effect } = configDiff(
      rendered({ files: [file('/var/lib/kubelet/config.json', `{"auths":{"q":{"auth":"${secret}"}}}`)] }),
      rendered({ files: [file('/var/lib/kubelet/config.json', '{}')], users: [{ name: 'core', digest: '1' }] }),
    )
    expect(JSON.stringify(changes)).not.toContain(secret)
    expect(effect).toContain('without drain')
    const only = configDiff(
      rendered({ files: [file('/etc/x', 'password=abcdefgh1')] }),
      rendered({ files: [file('/etc/x', 'password=hgfedcba2')] }),
    )
    expect(JSON.stringify(only)).not.toMatch(/abcdefgh1|hgfedcba2/)
    expect(only.changes[0]?.note).toBe('Only what is masked differs.')
  })

  it('of a config and itself is none, and of lines the one that makes the other', () => {
    expect(configDiff(rendered(), rendered()).changes).toEqual([])
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = lineDiff(a.join('\n'), b.join('\n'))
        const side = (sign: '+' | '-') => lines.filter((l) => l.sign === sign).map((l) => ('text' in l ? l.text : ''))
        const kept = (list: string[], out: string[]) => list.length - out.length
        expect(kept(a.join('\n').split('\n'), side('-'))).toBe(kept(b.join('\n').split('\n'), side('+')))
      }),
    )
  })
})
