import * as z from 'zod'
import { certificatesIn } from './authority'
import { GroupsInput } from './groups'

const Url = z
  .string('Give the updater’s address.')
  .trim()
  .max(2000, 'An address has at most 2000 characters.')
  .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:', 'The address must begin with https://.')
  .refine((text) => {
    const { username, password, search, hash } = URL.canParse(text) ? new URL(text) : new URL('https://x')
    return !username && !password && !search && !hash
  }, 'The address must have no user, no password, no query and no fragment.')

const Ca = z
  .string('Paste the certificate authority of the updater.')
  .trim()
  .max(65_536, 'A bundle of certificates has at most 64 KiB.')
  .refine(readable, 'Paste one or more certificates in PEM, each from BEGIN CERTIFICATE to END CERTIFICATE.')

function readable(pem: string): boolean {
  return !/PRIVATE KEY/.test(pem) && certificatesIn(pem) !== null
}

const Place = z
  .int('A place is a whole number, from 0 on.')
  .min(0, 'A place is a whole number, from 0 on.')
  .max(10_000, 'There are not that many places.')

export const AddUpdaterInput = z.object({
  name: z
    .string('Give the updater a name.')
    .trim()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'A name has lower-case letters, digits and hyphens, at most 63.'),
  url: Url,
  caPem: Ca,
  /** Absent: for every management cluster. */
  clusterId: z.uuid('This is not the id of a management cluster.').optional(),
  /** Absent: it is asked about every group. */
  groups: GroupsInput.optional(),
  /** Its place among all, from 0; absent: the last. */
  position: Place.optional(),
})
/** What is absent stays as it is. Not the name: the changes that it covers refer to it. */
export const UpdateUpdaterInput = z.object({
  updaterId: z.uuid('This is not the id of an updater.'),
  url: Url.optional(),
  caPem: Ca.optional(),
  /** Takes the place of the whole selection; empty: every group. */
  groups: GroupsInput.optional(),
})
export const RemoveUpdaterInput = z.object({ updaterId: z.uuid('This is not the id of an updater.') })
export const MoveUpdaterInput = z.object({
  updaterId: z.uuid('This is not the id of an updater.'),
  /** The management cluster in whose order it moves; absent: all updaters. */
  clusterId: z.uuid('This is not the id of a management cluster.').optional(),
  to: z.union([z.enum(['up', 'down']), Place], 'Say up, down or a place from 0 on.'),
})
export const ListUpdatersInput = z.object({
  clusterId: z.uuid('This is not the id of a management cluster.').optional(),
})
