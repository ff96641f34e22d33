import * as z from 'zod'

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const port = (name: string) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) < 65_536, `${name} is a port: a number from 0 to 65535.`)
    .optional()

/** What the environment may say to a web or worker process. Every value is optional: docs/operations.md lists them. */
const Env = z.object({
  DRYDOCK_URL: z
    .url('DRYDOCK_URL must be the address that people open, such as https://drydock.example.com.')
    .refine((url) => /^https?:/.test(url), 'DRYDOCK_URL must begin with https:// or http://.')
    .optional(),
  DRYDOCK_SECRET: z
    .string()
    .min(32, 'DRYDOCK_SECRET must have at least 32 characters (openssl rand -base64 32).')
    .optional(),
  DRYDOCK_DATA_DIR: z.string().min(1).default('.drydock'),
  DRYDOCK_LOG_LEVEL: z.enum(LEVELS, `DRYDOCK_LOG_LEVEL is one of ${LEVELS.join(', ')}.`).optional(),
  DRYDOCK_GATE_PORT: port('DRYDOCK_GATE_PORT'),
  DRYDOCK_WORKER_PORT: port('DRYDOCK_WORKER_PORT'),
  DRYDOCK_METRICS_TOKEN: z.string().min(16, 'DRYDOCK_METRICS_TOKEN must have at least 16 characters.').optional(),
})
export type Env = z.infer<typeof Env>

/** Read anew each time: cheap, and tests may change it. An empty variable counts as none. */
export function env(from: NodeJS.ProcessEnv = process.env): Env {
  const given = Object.fromEntries(Object.entries(from).filter(([, value]) => value !== ''))
  const parsed = Env.safeParse(given)
  if (parsed.success) return parsed.data
  throw new Error(parsed.error.issues.map((issue) => issue.message).join(' '))
}
