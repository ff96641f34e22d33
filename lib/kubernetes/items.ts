const [SPACE, TAB, NEWLINE, RETURN] = [32, 9, 10, 13]
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COLON] = [34, 92, 123, 125, 91, 93, 58]
// Depths: 1 in the list object, 2 in its items, 3 in an item, 4 in the item's metadata.
const [IN_LIST, IN_ITEMS, IN_ITEM, IN_METADATA] = [1, 2, 3, 4]

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

  /** The next bytes, cut anywhere. */
  push(chunk: Buffer): void {
    this.compact(chunk)
    const buffer = this.buffer
    const end = buffer.length
    let i = this.at
    while (i < end) {
      if (this.inString) {
        while (i < end && buffer[i] !== QUOTE) i += buffer[i] === BACKSLASH ? 2 : 1
        if (i >= end) break
        this.inString = false
        this.stringTo = i++
        continue
      }
      const c = buffer[i]!
      if (c === QUOTE) {
        this.inString = true
        this.stringFrom = i + 1
      } else if (c === OPEN || c === OPEN_LIST) this.open(c, i)
      else if (c === CLOSE || c === CLOSE_LIST) this.close(i)
      i++
    }
    this.at = i
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

  private open(c: number, i: number): void {
    if (this.depth === IN_LIST && c === OPEN_LIST && this.lastString() === 'items') {
      this.inItems = true
      this.envelope += this.buffer.toString('utf8', this.envelopeFrom, i + 1)
    } else if (this.inItems && this.depth === IN_ITEMS && c === OPEN) {
      this.itemFrom = i
      this.skipFrom = this.skipTo = -1
    } else if (this.dropManagedFields && this.inItems) {
      if (this.depth === IN_ITEM) this.inMetadata = c === OPEN && this.lastString() === 'metadata'
      else if (
        this.depth === IN_METADATA &&
        this.inMetadata &&
        c === OPEN_LIST &&
        this.lastString() === 'managedFields'
      )
        this.skipFrom = i + 1
    }
    this.depth++
  }

  private close(i: number): void {
    this.depth--
    if (!this.inItems) return
    if (this.depth === IN_METADATA && this.skipFrom >= 0 && this.skipTo < 0) this.skipTo = i
    else if (this.depth === IN_ITEMS && this.itemFrom >= 0) {
      this.hand(i + 1)
      this.itemFrom = -1
    } else if (this.depth === IN_LIST) {
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
  private lastString(): string {
    let i = this.stringTo + 1
    while (
      this.buffer[i] === SPACE ||
      this.buffer[i] === TAB ||
      this.buffer[i] === NEWLINE ||
      this.buffer[i] === RETURN
    )
      i++
    return this.buffer[i] === COLON ? this.buffer.toString('latin1', this.stringFrom, this.stringTo) : ''
  }
}
