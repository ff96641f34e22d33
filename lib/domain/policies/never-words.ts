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
