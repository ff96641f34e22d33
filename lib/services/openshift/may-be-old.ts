/** A warning beside what is made of a cluster's row: what that rests on is not heard any more. */
export const mayBeOld = ({ unheardWhy }: { unheardWhy: string | null }): string[] =>
  unheardWhy === null ? [] : [`What stands here of this cluster may be old. ${unheardWhy}`]
