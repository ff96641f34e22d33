import type { KubeObject } from '@/lib/kubernetes/types'
import type { History } from './history'

/** The names that logs give: in the order of their making, as the controller sorts by age: by second, then by name. */
export class Names {
  private readonly short = new Map<string, string>()
  private readonly list: RegExp

  constructor(history: History) {
    for (const [kind, prefix] of [
      ['set', 'ms'],
      ['machine', 'm'],
    ] as const) {
      const made = new Map(history.of(kind).map(({ object }) => [object.metadata.name, object]))
      const ordered = [...made.values()].sort(byAge)
      for (const [index, { metadata }] of ordered.entries()) this.short.set(metadata.name, `${prefix}${index + 1}`)
    }
    const any = `(?:${[...this.short.keys()].sort((a, b) => b.length - a.length).join('|')})`
    this.list = new RegExp(`\\b${any}(?:,${any})*(?![\\w-])`, 'g')
  }

  of(name: string): string {
    const short = this.short.get(name)
    if (!short) throw new Error(`nothing of the name ${name} was seen`)
    return short
  }

  /** A text of the manager with our names in it. It sorts what it lists, and so the list is sorted again. */
  in(text: string): string {
    return text.replace(this.list, (found) => {
      const real = found.split(',')
      if (real.join() !== [...real].sort().join()) throw new Error(`the manager did not sort ${found}`)
      return real
        .map((name) => this.of(name))
        .sort()
        .join()
    })
  }
}

const byAge = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject) =>
  Date.parse(a.creationTimestamp) - Date.parse(b.creationTimestamp) || (a.name < b.name ? -1 : 1)
