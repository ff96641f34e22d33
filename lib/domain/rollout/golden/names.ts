export const numberOfSet = ({ name }: { name: string }) => Number(/^(?:ms)?(\d+)$/.exec(name)?.[1] ?? 0)

/** MachineSets as a log lists them: ms2 before ms10. */
export const byNumber = <S extends { name: string }>(sets: readonly S[]): S[] =>
  [...sets].sort((a, b) => numberOfSet(a) - numberOfSet(b))

/** What an observed state says of a MachineSet, beyond what upstream's logs say. */
export const WANTED = 'Template as wanted'
export const CAN_UPDATE = 'Can be updated in place'
export const ANNOTATIONS = 'Annotations: '
export const PENDING = 'Pending acknowledge: '
