/** Arguments from the command line; what is wrong with them is said with the usage, not as a stack. */
export function readArgs<T>(usage: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error
    console.error(`${message}\n\n${usage}`)
    process.exit(2)
  }
}
