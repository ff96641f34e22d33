import { createLink, FIRST_ACCOUNT_LOCK, linkPath } from '@/lib/auth/links'
import { db } from '@/lib/db/client'

/** While nobody has an account: a fresh one-time link that makes the first administrator. Earlier ones end. */
export async function firstAdminLink(): Promise<string | undefined> {
  return db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`
    if ((await tx.user.count()) > 0) return undefined
    await tx.signInLink.deleteMany({ where: { userId: null, usedAt: null } })
    return linkPath(await createLink(tx, { role: 'admin' }, 24 * 60))
  })
}
