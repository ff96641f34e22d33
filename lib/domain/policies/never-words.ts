/** Of windows that the end of a freeze does not open, which is therefore not when it goes. `apart`: each would, and never all of them together. */
export function neverWords(
  closings: readonly { why: string | null; policy: string | null }[],
  apart: readonly string[],
): string {
  if (apart.length > 0)
    return `the windows of the policies ${apart.join(' and ')} are never open together outside a freeze within a year`
  const shut = closings.flatMap(({ why, policy }) => (why === 'window' ? `the policy ${policy}` : []))
  return `the windows of ${shut.join(' and ')} are not open outside a freeze within a year`
}

type Freeze = { policy: string | null; span: { why?: string } | null }

/** Of windows that open under freezes only, none of which holds now. */
export const underWords = (under: readonly Freeze[]): string => `within a year open only ${whileFrozen(under)}`

/** Of windows of several policies, each of which opens outside freezes. */
export const togetherUnderWords = (under: readonly Freeze[]): string =>
  `within a year are open together only ${whileFrozen(under)}`

function whileFrozen(under: readonly Freeze[]): string {
  const [first, ...others] = under.map(({ policy, span }) => [policy, span?.why ? ` (${span.why})` : ''] as const)
  const rest = others.map(([policy, why]) => `, or the policy ${policy}${why}`)
  return `while the policy ${first![0]} freezes it${first![1]}${rest.join('')}`
}
