import type { Prisma } from './generated/client'

/**
 * A value as JSON that Postgres stores, keys too, however deep: a NUL character and half a surrogate pair are written as escapes, which
 * jsonb refuses. One of a stranger's would keep its whole row, or batch, out for good.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value ?? null)
  if (!/\\u(0000|d[89a-f])/.test(text)) return text
  return text.replace(/\\(?:u(0000|d[89a-f][0-9a-f]{2})|.)/g, (all, code?: string) =>
    code === undefined ? all : code === '0000' ? '' : '\\ufffd',
  )
}

/** The same for a column. */
export const json = (value: unknown): Prisma.InputJsonValue => JSON.parse(jsonText(value)) as Prisma.InputJsonValue
