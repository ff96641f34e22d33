/** Once per web process, before its first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { endStreamsOnSignals } = await import('./lib/stream/end')
    endStreamsOnSignals()
    const { settleAddresses } = await import('./lib/auth/settle-addresses')
    settleAddresses()
  }
}
