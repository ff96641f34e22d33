/** The row under the keyboard's cursor is marked in the document itself: every table has it, none needs to know. */
const ROW = 'tr[data-row], li[data-row]'

export function moveRow(by: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(ROW)]
  if (rows.length === 0) return false
  const at = rows.findIndex((row) => row.hasAttribute('data-cursor'))
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + by))]!
  rows[at]?.removeAttribute('data-cursor')
  next.setAttribute('data-cursor', '')
  next.scrollIntoView({ block: 'nearest' })
  const link = next.querySelector<HTMLElement>('a[href], button')
  link?.focus({ preventScroll: true })
  return true
}

/** Opens the cursor's row: presses its first link, or its button. */
export function pressRow(): boolean {
  const row = document.querySelector<HTMLElement>(`:is(${ROW})[data-cursor]`)
  const target = row?.querySelector<HTMLElement>('a[href], button')
  target?.click()
  return target !== null && target !== undefined
}

/** Ticks the box of the cursor's row, or takes the tick away; `far`: that of all rows from the last one to it. */
export function pickRow(far: boolean): boolean {
  const box = document.querySelector<HTMLElement>(`:is(${ROW})[data-cursor] [data-select]`)
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: far }))
  return box !== null
}
