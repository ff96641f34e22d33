import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { hashPassword } from 'better-auth/crypto'
import { parseSetCookieHeader } from 'better-auth/cookies'
import { createLink } from '@/lib/auth/links'
import { setPassword } from '@/lib/auth/redeem-link'
import { signInWithLink } from '@/lib/auth/sign-in'
import { db } from '@/lib/db/client'
import { FAST } from '@/lib/db/testing/throwaway'
import { ROLES, type Role } from '@/lib/services/context'
import { startDemo } from '../../scripts/support/demo-stack'
import { Ending, main } from '../../scripts/support/ending'
import { PORT, STACK_DIR, STACK_FILE, stateFile, type Stack } from './constants'

/**
 * What the browser tests look at: the demo, in a folder of its own, with one signed-in person per role. Playwright
 * starts it once (playwright.config.ts) and ends it with SIGTERM.
 */
const ending = new Ending()
rmSync(STACK_DIR, { recursive: true, force: true })
mkdirSync(STACK_DIR, { recursive: true })
process.env.NEXT_DIST_DIR ??= '.next-e2e'
// Machines come and go ten times as fast as in the demo: a rollout fits into a test.
process.env.SANDBOX_SPEED ??= '10'

await main(ending, () =>
  startDemo({
    dir: STACK_DIR,
    port: PORT,
    settings: FAST,
    ending,
    say: (line) => process.stdout.write(line + '\n'),
    ready: async ({ databaseUrl, clusters }) => {
      for (const role of ROLES) await signIn(role)
      const stack: Stack = {
        databaseUrl,
        clusters: clusters.map(({ name, flavour, kubeconfig, adminKubeconfig }) => ({
          name,
          flavour,
          kubeconfig,
          adminKubeconfig,
        })),
      }
      writeFileSync(STACK_FILE, JSON.stringify(stack), { mode: 0o600 })
      process.stdout.write('ready\n')
    },
  }),
)

/** Makes an account of this role and writes its session as Playwright's storage state. */
async function signIn(role: Role): Promise<void> {
  const token = await db().$transaction(async (tx) => {
    const user = await tx.user.create({
      data: { id: randomUUID(), email: `${role}@drydock.example`, name: `The ${role}`, role },
    })
    await setPassword(tx, user.id, await hashPassword(randomBytes(32).toString('base64url')))
    return createLink(tx, { userId: user.id }, 5)
  })
  const cookies = (await signInWithLink({ token }, new Headers())).flatMap((line) => [...parseSetCookieHeader(line)])
  const state = cookies.map(([name, { value }]) => ({
    name,
    value: encodeURIComponent(value),
    domain: 'localhost',
    path: '/',
    expires: Date.now() / 1000 + 3600,
    httpOnly: true,
    secure: false,
    sameSite: 'Lax',
  }))
  writeFileSync(stateFile(role), JSON.stringify({ cookies: state, origins: [] }), { mode: 0o600 })
}
