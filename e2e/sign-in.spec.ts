import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { Client } from 'pg'
import { readStack } from './support/constants'

/** Nobody is signed in here. */
test.use({ storageState: { cookies: [], origins: [] } })

/** A one-time link as the first administrator's is made: its token is kept only as a hash. */
async function linkFor(role: string): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  const db = new Client(readStack().databaseUrl)
  await db.connect()
  try {
    const hash = createHash('sha256').update(token).digest('hex')
    await db.query(
      `INSERT INTO sign_in_link (token_hash, role, expires_at) VALUES ($1, $2, now() + interval '5 min')`,
      [hash, role],
    )
  } finally {
    await db.end()
  }
  return `/sign-in/${token}`
}

test('a link makes an account once; then its password signs in', async ({ page }) => {
  const email = `link-${randomBytes(4).toString('hex')}@drydock.example`
  const password = randomBytes(18).toString('base64url')
  const link = await linkFor('operator')
  await page.goto(link)
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Choose a password').fill('short')
  await page
    .getByLabel('Choose a password')
    .evaluate((input: HTMLInputElement) => input.form!.setAttribute('novalidate', ''))
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText(/at least 12 characters/i).last()).toBeVisible()
  await expect(page.getByLabel('Your name')).toHaveValue('Ada')
  await expect(page.getByLabel('E-mail address')).toHaveValue(email)
  await page.getByLabel('Choose a password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page).toHaveURL('/')

  await page.getByRole('button', { name: /Ada/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/sign-in/)
  await page.goto(link)
  await expect(page.getByRole('button', { name: 'Create account' })).toHaveCount(0)

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
