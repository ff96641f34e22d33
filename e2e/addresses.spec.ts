import { expect, test } from '@playwright/test'

/** What an address asks for and there is not: the page says what there is, and leads on without it. */
const BAD: [address: string, sentence: string, without: string][] = [
  ['/updates?tab=evil&q=web', 'There are the tabs waiting, running and done.', '/updates?q=web'],
  ['/updates?tab=done&cursor=nowhere', 'This is not a place in the list; begin at its top.', '/updates?tab=done'],
  ['/machines?sort=drop', 'Sort by severity, name, version or age.', '/machines'],
  ['/machines?q=state:failed&dir=sideways', 'The direction is asc or desc.', '/machines?q=state%3Afailed'],
  ['/machines?after=nowhere', 'This is not a place in this list; begin at its top.', '/machines'],
  ['/activity?cursor=nowhere', 'This page does not exist.', '/activity'],
  [`/boot-images?cluster=${'x'.repeat(300)}`, 'A name has at most 253 characters.', '/boot-images'],
  [`/?cluster=${'x'.repeat(300)}`, 'A name has at most 253 characters.', '/'],
]

test('an address that cannot be meant says so in its own sentence, and leads to the page without it', async ({
  page,
}) => {
  for (const [address, sentence, without] of BAD) {
    await page.goto(address)
    await expect(page.getByRole('alert').filter({ hasText: sentence }), address).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 }), address).toBeVisible()
    const on = page.getByRole('link', { name: 'Show the page without it' })
    await expect(on, address).toHaveAttribute('href', without)
  }
  await page.goto('/updates?tab=evil')
  await page.getByRole('link', { name: 'Show the page without it' }).click()
  await expect(page).toHaveURL(/\/updates$/)
  await expect(page.getByRole('navigation', { name: 'Updates by state' })).toBeVisible()
})

test('a filter that cannot be meant says so above the machines', async ({ page }) => {
  await page.goto(`/machines?q=${encodeURIComponent('state:nonsense cluster: "half')}`)
  const problems = page.locator('#filter-problems')
  await expect(problems).toContainText('There is no state “nonsense”; there are failed,')
  await expect(problems).toContainText('“cluster:” stands without a value')
  await expect(problems).toContainText('A quotation mark is opened and not closed.')
})
