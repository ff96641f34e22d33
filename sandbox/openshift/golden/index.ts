import { playBootImageRow, type BootImageRow } from './boot-images'
import type { Catalog } from './catalog'
import { playSequenceStep, type SequenceStep } from './sequences'
import { playSkewRow, type SkewRow } from './skew'
import { TableError, type Played } from './table'

export { TableError, type Played } from './table'

type Play = (row: never, table: Record<string, unknown>) => Played | Promise<Played>

/** Tables of what the Machine Config Operator's own code decided, by the name of their file. */
const TABLES: Record<string, { rows: string; play: Play }> = {
  'skew.json': { rows: 'rows', play: (row: SkewRow) => playSkewRow(row) },
  'boot-images.json': {
    rows: 'rows',
    play: (row: BootImageRow, table) => playBootImageRow(row, table.catalog as unknown as Catalog),
  },
  'boot-image-sequences.json': {
    rows: 'steps',
    play: (step: SequenceStep, table) => playSequenceStep(step, table.steps as SequenceStep[]),
  },
}

export const TABLE_NAMES = Object.keys(TABLES)

/** Plays every row of a table by our rules. A row that our rules cannot be asked about, or break on, differs. */
export async function playTable(name: string, text: string): Promise<Played[]> {
  const kind = TABLES[name]
  if (!kind) throw new TableError(`${name} is no table that can be played`)
  const table = parsed(text)
  const rows = table[kind.rows]
  if (!Array.isArray(rows) || rows.length === 0) throw new TableError(`it has no ${kind.rows}`)
  const played: Played[] = []
  for (const [i, row] of rows.entries()) {
    const named = row?.id ?? row?.step
    const id = typeof named === 'string' ? named : `row ${i + 1}`
    try {
      played.push(await kind.play(row as never, table))
    } catch (error) {
      const ours = error instanceof Error ? error.message : String(error)
      played.push({ id, difference: { at: 'the row as such', table: '(a row)', ours }, exceptions: [] })
    }
  }
  return played
}

function parsed(text: string): Record<string, unknown> {
  try {
    const table: unknown = JSON.parse(text)
    if (table !== null && typeof table === 'object') return table as Record<string, unknown>
  } catch {
    throw new TableError('it is not JSON')
  }
  throw new TableError('it is not a JSON object')
}
