/** Only needed when an image is about to be changed: the Ignition stub in the set's user-data secret must be one the new image reads. */
export function userDataProblem(
  secretName: string | undefined,
  read: ((secret: string) => string | undefined) | undefined,
): { outcome: 'error' | 'crash'; reason: string } | undefined {
  if (!secretName)
    return {
      outcome: 'crash',
      reason: 'The set names no userDataSecret, and the operator’s controller stops working on such a set.',
    }
  if (!read) return undefined
  const text = read(secretName)
  if (text === undefined)
    return { outcome: 'error', reason: `Its user-data secret ${secretName} does not exist or has no userData.` }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { outcome: 'error', reason: `The user data in ${secretName} is not JSON.` }
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
    return {
      outcome: 'crash',
      reason: `The user data in ${secretName} is not a JSON object, and the operator’s controller stops working on it.`,
    }
  const version = (parsed as { ignition?: { version?: unknown } }).ignition?.version
  if (typeof version === 'string' && (version.startsWith('3') || /^2\.[12](\.|$)/.test(version))) return undefined
  return {
    outcome: 'error',
    reason: `The user data in ${secretName} has an Ignition version that cannot be converted.`,
  }
}
