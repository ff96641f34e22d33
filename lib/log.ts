import { errorStack, errorText } from './error-text'
import pino, { type Logger } from 'pino'

const shared = globalThis as typeof globalThis & { __drydockLog?: Logger }

/** Log of the web process and the scripts, as JSON lines. Errors by name, message and stack: bodies and headers may hold secrets. */
export function log(): Logger {
  return (shared.__drydockLog ??= pino({
    name: 'drydock',
    level: process.env.DRYDOCK_LOG_LEVEL || 'info',
    serializers: { err: (error: Error) => ({ type: error.name, message: errorText(error), stack: errorStack(error) }) },
  }))
}
