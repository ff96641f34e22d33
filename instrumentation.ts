/** Once per web process, before its first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { hub } = await import('./lib/stream/hub')
  // Next does not exit while an event stream is open.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => hub().closeAll())
}
