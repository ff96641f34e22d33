import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configDiff, type Rendered } from './config-diff'
import { lineDiff, type Line } from './lines'

describe('the difference between two configs', () => {
  const rendered = (more: Partial<Rendered> = {}): Rendered => ({
    ...{
      name: 'a',
      release: null,
      files: [],
      units: [],
      values: {},
      kernelArguments: [],
      extensions: [],
      users: [],
      rest: {},
    },
    ...more,
  })
  const file = (path: string, text: string | null, mode = 420) => ({
    ...{ path, text, mode, digest: `${text}`, bytes: text?.length ?? null },
  })

  it('names files, units, arguments and words, and what it does to a node', () => {
    const { changes, effect } = configDiff(
      rendered({
        files: [file('/etc/sysctl.d/a.conf', 'one\ntwo\n'), file('/etc/sysctl.d/same.conf', 'x')],
        kernelArguments: ['quiet'],
        values: { osImageURL: 'old' },
      }),
      rendered({
        files: [file('/etc/sysctl.d/a.conf', 'one\nthree\n'), file('/etc/sysctl.d/same.conf', 'x', 384)],
        kernelArguments: ['quiet', 'nosmt'],
        values: { osImageURL: 'new' },
        units: [{ name: 'a.service', text: 'x' }],
      }),
    )
    expect(changes.map(({ part, name, kind }) => `${kind} ${part} ${name}`)).toEqual([
      'changed value osImageURL',
      'added kernel argument nosmt',
      'changed file /etc/sysctl.d/a.conf',
      'changed file /etc/sysctl.d/same.conf',
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
      rendered({ files: [file('/etc/chrony.conf', 'password=abcdefgh1')] }),
      rendered({ files: [file('/etc/chrony.conf', 'password=hgfedcba2')] }),
    )
    expect(JSON.stringify(only)).not.toMatch(/abcdefgh1|hgfedcba2/)
    expect(only.changes[0]?.note).toBe('Only what is masked differs.')
  })

  it('of a config and itself is none, and of lines the one that makes the other', () => {
    expect(configDiff(rendered(), rendered()).changes).toEqual([])
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    const makes = (a: string, b: string): void => {
      expect(applied(a, lineDiff(a, b))).toBe(b)
    }
    fc.assert(fc.property(text, text, (a, b) => makes(a.join('\n'), b.join('\n'))))
    const long = (of: string) => Array.from({ length: 900 }, (_, i) => `${of}${i}`).join('\n')
    makes(long('a'), long('b'))
    makes(`same\n${long('a')}\nsame`, `same\n${long('a').replace('a450', 'x')}\nsame`)
  })
})

/** What a diff makes of the text that it begins with. */
function applied(from: string, lines: Line[]): string {
  const a = from.split('\n')
  let at = 0
  const out = lines.flatMap((line) => {
    if (line.sign === '+') return [line.text]
    if (line.sign === 'skip') return a.slice(at, (at += line.count))
    expect(line.text).toBe(a[at++])
    return line.sign === ' ' ? [line.text] : []
  })
  expect(at).toBe(a.length)
  return out.join('\n')
}
