/** Of what began, and was not let go: `all` of it was approved by then, or `some`; null: none was. */
export type ApprovedThen = 'all' | 'some' | null

export function approvedThen(begun: readonly { approved: boolean }[]): ApprovedThen {
  if (!begun.some(({ approved }) => approved)) return null
  return begun.every(({ approved }) => approved) ? 'all' : 'some'
}

/** How a sentence on that begins, before "when …". `letGo`: what was let go once is void. */
export function unapprovedThen(then: ApprovedThen, letGo: boolean): string {
  if (then === null) return letGo ? 'No approval of it was in force' : 'It was not approved'
  return then === 'all' && !letGo ? 'It was approved, and not let go yet,' : 'It was not let go'
}
