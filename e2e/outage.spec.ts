import { expect, test } from '@playwright/test'
import { Client } from 'pg'
import { readStack } from './support/constants'

/** The process that follows the clusters: a lease names its owner as host/pid/word. */
async function worker(): Promise<number> {
  const client = new Client({ connectionString: readStack().databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ owner: string }>('SELECT owner FROM cluster_lease WHERE until > now()')
    return Number(rows[0]!.owner.split('/')[1])
  } finally {
    await client.end()
  }
}

test('a worker that stands still is said on every page, with the age of what is shown, until it is back', async ({
  page,
}) => {
  test.setTimeout(180_000) // a lease runs out
  // Other tests leave clusters behind that are gone; atlas is there.
  const line = page.locator('[data-stale]').filter({ hasText: 'atlas:' })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(line).toHaveCount(0)
  const pid = await worker()
  process.kill(pid, 'SIGSTOP')
  try {
    await expect(line).toContainText(/atlas: last heard .+ ago, no worker follows it/, { timeout: 60_000 })
    await page.goto('/machines')
    await expect(line).toContainText('no worker follows it')
    await expect(page.locator('main tbody tr').first()).toBeVisible() // what is known is shown all the same
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await expect(line).toHaveCount(0, { timeout: 90_000 })
})
