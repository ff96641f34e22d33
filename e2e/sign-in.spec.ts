import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { Client } from 'pg'
import { readStack } from './support/constants'

/** Nobody is signed in here. */
test.use({ storageState: { cookies: [], origins: [] } })

/** An account as an administrator makes it, and its one-time link: the token is kept only as a hash. */
async function invited(email: string): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  const db = new Client(readStack().databaseUrl)
  await db.connect()
  try {
    const id = randomUUID()
    await db.query(`INSERT INTO "user" (id, name, email, role, updated_at) VALUES ($1, 'Ada', $2, 'operator', now())`, [
      ...[id, email],
    ])
    await db.query(
      `INSERT INTO sign_in_link (token_hash, user_id, expires_at) VALUES ($1, $2, now() + interval '5 min')`,
      [createHash('sha256').update(token).digest('hex'), id],
    )
  } finally {
    await db.end()
  }
  return `/sign-in/${token}`
}

test('somebody invited chooses a password once; then it signs in', async ({ page }) => {
  const email = `link-${randomBytes(4).toString('hex')}@drydock.example`
  const password = randomBytes(18).toString('base64url')
  const link = await invited(email)
  await page.goto(link)
  await expect(page.getByText(email)).toBeVisible()
  const chosen = page.getByLabel('Choose a password')
  await chosen.fill('short')
  await chosen.evaluate((input: HTMLInputElement) => input.form!.setAttribute('novalidate', ''))
  await chosen.press('Enter')
  // The answer, not the hint: with it the form is emptied.
  await expect(page.getByText('A password has at least 12 characters.')).toBeVisible()
  await chosen.fill(password)
  await chosen.press('Enter')
  await expect(page).toHaveURL('/')

  await page.getByRole('button', { name: /Ada/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/sign-in/)
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link is used up' })).toBeVisible()

  await page.goto('/sign-in')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(`${password}?`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert').filter({ hasText: /\w/ })).toBeVisible()
  await expect(page.getByLabel('E-mail address')).toHaveValue(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible()
})

test('every page sends nobody to the sign-in', async ({ page }) => {
  for (const path of ['/', '/updates', '/machines', '/boot-images', '/clusters', '/clusters/new', '/activity']) {
    await page.goto(path)
    await expect(page, path).toHaveURL(/\/sign-in/)
  }
})
