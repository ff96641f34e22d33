import { pino, type Logger } from 'pino'
import { errorText } from '@/lib/error-text'

export type Log = Logger

/** One JSON line per event on standard output. Errors are logged by name and message: bodies and headers may hold secrets. */
export const log: Log = pino({
  name: 'drydock-worker',
  level: process.env.DRYDOCK_LOG_LEVEL || 'info',
  serializers: { err: (error: Error) => ({ type: error.name, message: errorText(error) }) },
})
