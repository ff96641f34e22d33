/** Rows of a statement that was asked several questions (`WITH ORDINALITY AS asked (…, n)`): those of each, in their order. */
export function byQuestion<R extends { n: string }>(asked: readonly unknown[], rows: readonly R[]): R[][] {
  const answers: R[][] = asked.map(() => [])
  for (const row of rows) answers[Number(row.n) - 1]!.push(row)
  return answers
}
