const SPACE = 32
const TAB = 9
const NEWLINE = 10
const RETURN = 13
const QUOTE = 34
const BACKSLASH = 92
const OPEN = 123
const CLOSE = 125
const OPEN_LIST = 91
const CLOSE_LIST = 93
const COLON = 58
// Depths: 1 in the list object, 2 in its items, 3 in an item, 4 in the item's metadata.
const IN_LIST = 1
const IN_ITEMS = 2
const IN_ITEM = 3
const IN_METADATA = 4

/**
 * Reads a list answer piece by piece: each item is handed out as soon as its last byte is there, so that neither the text
 * nor the objects of a whole list are ever held. Brackets are counted here, JSON.parse reads what is between them.
 */
export class ItemReader {
  private buffer: Buffer = Buffer.alloc(0)
  private at = 0
  private depth = 0
  private inString = false
  private stringFrom = 0
  private stringTo = 0
  private itemFrom = -1
  private envelope = ''
  private envelopeFrom = 0
  private inItems = false
  private inMetadata = false
  private skipFrom = -1
  private skipTo = -1

  constructor(
    private readonly each: (json: string) => void,
    /** Leaves out metadata.managedFields: more than half of many objects' bytes. */
    private readonly dropManagedFields = false,
  ) {}

  /** The next bytes, cut anywhere. Most of a list is deeper than what matters: that is only counted, in local variables. */
  push(chunk: Buffer): void {
    this.compact(chunk)
    // No index ever goes beyond the end: that would make the compiler give up the fast path of this loop.
    const bytes: Uint8Array = this.buffer
    const end = bytes.length
    let { at: i, depth, inString, stringFrom, stringTo } = this
    while (i < end) {
      if (inString) {
        while (i < end) {
          const c = bytes[i]
          if (c === QUOTE) break
          i += c === BACKSLASH ? 2 : 1
        }
        if (i >= end) break
        inString = false
        stringTo = i++
        continue
      }
      const c = bytes[i]!
      if (c === QUOTE) {
        inString = true
        stringFrom = i + 1
      } else if (c === OPEN || c === OPEN_LIST) {
        if (depth <= IN_METADATA) this.open(c, i, depth, stringFrom, stringTo)
        depth++
      } else if (c === CLOSE || c === CLOSE_LIST) {
        depth--
        if (depth <= IN_METADATA) this.close(i, depth)
      }
      i++
    }
    this.at = i
    this.depth = depth
    this.inString = inString
    this.stringFrom = stringFrom
    this.stringTo = stringTo
  }

  /** Everything around the items, after the last byte; throws where the answer was cut off. */
  end(): { apiVersion?: string; kind?: string; metadata?: { resourceVersion?: string; continue?: string } } {
    if (this.depth !== 0 || this.inString) throw new SyntaxError('The list ends in the middle.')
    return JSON.parse(this.envelope + this.buffer.toString('utf8', this.envelopeFrom)) as ReturnType<ItemReader['end']>
  }

  /** What stands before the items, so far. */
  get head(): string {
    return this.envelope
  }

  /** Keeps only what is still needed of the bytes before, followed by the new ones. */
  private compact(chunk: Buffer): void {
    if (!this.inItems && this.itemFrom < 0) {
      this.buffer = this.buffer.length ? Buffer.concat([this.buffer, chunk]) : chunk
      return
    }
    const keep = this.itemFrom >= 0 ? this.itemFrom : Math.min(this.at, this.buffer.length)
    const rest = this.buffer.subarray(keep)
    this.buffer = rest.length ? Buffer.concat([rest, chunk]) : chunk
    this.at -= keep
    this.stringFrom -= keep
    this.stringTo -= keep
    if (this.itemFrom >= 0) this.itemFrom = 0
    if (this.skipFrom >= 0) this.skipFrom -= keep
    if (this.skipTo >= 0) this.skipTo -= keep
  }

  private open(c: number, i: number, depth: number, from: number, to: number): void {
    if (depth === IN_LIST && c === OPEN_LIST && this.key(from, to) === 'items') {
      this.inItems = true
      this.envelope += this.buffer.toString('utf8', this.envelopeFrom, i + 1)
    } else if (this.inItems && depth === IN_ITEMS && c === OPEN) {
      this.itemFrom = i
      this.skipFrom = this.skipTo = -1
    } else if (this.dropManagedFields && this.inItems) {
      if (depth === IN_ITEM) this.inMetadata = c === OPEN && this.key(from, to) === 'metadata'
      else if (depth === IN_METADATA && this.inMetadata && c === OPEN_LIST && this.key(from, to) === 'managedFields')
        this.skipFrom = i + 1
    }
  }

  private close(i: number, depth: number): void {
    if (!this.inItems) return
    if (depth === IN_METADATA && this.skipFrom >= 0 && this.skipTo < 0) this.skipTo = i
    else if (depth === IN_ITEMS && this.itemFrom >= 0) {
      this.hand(i + 1)
      this.itemFrom = -1
    } else if (depth === IN_LIST) {
      this.inItems = false
      this.envelopeFrom = i
    }
  }

  private hand(to: number): void {
    if (this.skipFrom < 0) return this.each(this.buffer.toString('utf8', this.itemFrom, to))
    const before = this.buffer.toString('utf8', this.itemFrom, this.skipFrom)
    this.each(before + this.buffer.toString('utf8', this.skipTo, to))
  }

  /** The string that ended last, where it is a key: only a colon stands between it and where we are. */
  private key(from: number, to: number): string {
    let i = to + 1
    while (
      this.buffer[i] === SPACE ||
      this.buffer[i] === TAB ||
      this.buffer[i] === NEWLINE ||
      this.buffer[i] === RETURN
    )
      i++
    return this.buffer[i] === COLON ? this.buffer.toString('latin1', from, to) : ''
  }
}
