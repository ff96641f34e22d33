import { trustedRanges } from '@/lib/auth/address'
import { env, type Env } from '@/lib/env'
import { requireKey } from '@/lib/seal'
import { gateAddress } from '@/lib/services/gate/address'

/** What is wrong with the environment is said before anything starts, not by parts that end again and again. */
export function readEnvironment(): Env {
  const values = env()
  trustedRanges(process.env.DRYDOCK_TRUSTED_PROXY ?? '')
  gateAddress()
  if (process.env.DRYDOCK_KEY) requireKey()
  return values
}

/** DATABASE_URL, where it is given: an empty variable counts as none, as everywhere. */
export function givenDatabase(): string | undefined {
  const url = process.env.DATABASE_URL
  if (!url) return undefined
  if (/^(postgres(ql)?:\/\/|socket:)/.test(url)) return url
  // What it says instead stays untold: it may be a password.
  throw new Error('DATABASE_URL must be an address such as postgresql://user:password@host:5432/drydock.')
}
