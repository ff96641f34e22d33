import type { SandboxObject, StoreEvent } from '../../types'

export interface Change extends StoreEvent {
  version: number
}

/** The events of one resource that a watch may still resume from. */
export class History {
  private changes: Change[] = []
  /** Versions up to here are forgotten. */
  compacted = 0

  constructor(private readonly limit: number) {}

  add(change: Change) {
    this.changes.push(change)
    if (this.changes.length <= this.limit * 1.25) return
    const dropped = this.changes.length - this.limit
    this.compacted = this.changes[dropped - 1]!.version
    this.changes = this.changes.slice(dropped)
  }

  forget(version: number) {
    this.changes = []
    this.compacted = version
  }

  /** Changes after a version, or nothing when some of them are forgotten. */
  since(version: number): Change[] | undefined {
    if (version < this.compacted) return undefined
    let low = 0
    let high = this.changes.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.changes[middle]!.version <= version) low = middle + 1
      else high = middle
    }
    return this.changes.slice(low)
  }

  /** The objects as they were at a version, from those that are now. */
  at(version: number, now: SandboxObject[], keyOf: (object: SandboxObject) => string): SandboxObject[] | undefined {
    const later = this.since(version)
    if (!later) return undefined
    if (later.length === 0) return now
    const objects = new Map(now.map((object) => [keyOf(object), object]))
    for (const change of later.reverse()) {
      if (change.type === 'ADDED') objects.delete(change.key)
      else if (change.old) objects.set(change.key, change.old)
    }
    return [...objects.values()].sort(inListOrder)
  }
}

function inListOrder(a: SandboxObject, b: SandboxObject): number {
  const [an, bn] = [a.metadata.namespace ?? '', b.metadata.namespace ?? '']
  if (an !== bn) return an < bn ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : 1
}
