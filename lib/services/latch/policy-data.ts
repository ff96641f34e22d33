import type { LatchTarget, Wanted } from './target'

/** The policy row for what is asked; a label is kept only where it is used, and a choice where there is one. */
export function policyData(
  { governance, breakGlass, choices }: LatchTarget,
  { reasonNeeded, pools }: Pick<Wanted, 'pools'> & { reasonNeeded?: boolean },
) {
  const labelled = governance.governs.endsWith('-label')
  return {
    governs: governance.governs,
    labelKey: labelled ? (governance.labelKey ?? null) : null,
    labelValue: labelled ? (governance.labelValue ?? null) : null,
    breakGlass,
    ...(reasonNeeded === undefined ? {} : { reasonNeeded }),
    ...(pools && choices.length > 0 ? { pools } : {}),
  }
}
