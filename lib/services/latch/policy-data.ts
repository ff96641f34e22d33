import type { LatchTarget } from './target'

/** The policy row for what is asked; a label is kept only where it is used. */
export function policyData({ governance, breakGlass }: LatchTarget, reasonNeeded: boolean | undefined) {
  const labelled = governance.governs.endsWith('-label')
  return {
    governs: governance.governs,
    labelKey: labelled ? (governance.labelKey ?? null) : null,
    labelValue: labelled ? (governance.labelValue ?? null) : null,
    breakGlass,
    ...(reasonNeeded === undefined ? {} : { reasonNeeded }),
  }
}
