const numberOf = (name: string) => Number(/^(?:ms)?(\d+)$/.exec(name)?.[1] ?? 0)

/** MachineSets as a log lists them: ms2 before ms10. */
export const byNumber = <S extends { name: string }>(sets: readonly S[]): S[] =>
  [...sets].sort((a, b) => numberOf(a.name) - numberOf(b.name))
