import * as z from 'zod'
import { env } from '@/lib/env'
import { refusedAddress } from '@/lib/kubernetes/addresses'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Without an address of its own Drydock is somebody's demo: there a receiver on the same machine needs no certificate. */
const mayBePlain = (url: URL): boolean => LOOPBACK.test(url.hostname) && env().DRYDOCK_URL === undefined

const Url = z
  .string('Give the address.')
  .trim()
  .max(2000, 'An address has at most 2000 characters.')
  .refine((text) => URL.canParse(text), 'This is not an address.')
  .transform((text) => new URL(text))
  .refine((url) => url.protocol === 'https:' || (url.protocol === 'http:' && mayBePlain(url)), 'The address must begin with https://.') // prettier-ignore
  .refine((url) => !url.username && !url.password, 'The address must have no user and no password: give a token.')
  .refine((url) => refusedAddress(url.hostname) === null, 'Drydock does not call this address: it is of a kind where cloud metadata services live.') // prettier-ignore

export const SetWebhookInput = z.object({
  url: Url,
  token: z
    .string('The token is a text.')
    .trim()
    .max(4000, 'A token has at most 4000 characters.')
    .regex(/^[\x21-\x7e]*$/, 'A token has no spaces and no special characters.')
    .optional()
    .transform((token) => token || null),
})
