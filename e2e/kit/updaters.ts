import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type Locator, type Page } from '@playwright/test'
import { STACK_DIR } from '../support/constants'
import { activityRow, seriousIn, sideways } from './steps'

const section = (page: Page): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'atlas', exact: true }) })
const card = (page: Page, name: string): Locator =>
  section(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })

async function fine(page: Page, part?: string): Promise<void> {
  expect.soft(await seriousIn(page, part)).toEqual([])
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
}

/** The registry of updaters as an administrator uses it. What is added is for no group that there is. */
export function updaterPage(prefix: string): void {
  const first = `${prefix}-kubelet`
  const second = `${prefix}-os`

  async function fill(page: Page, name: string): Promise<Locator> {
    await page.getByRole('button', { name: 'Add an updater to atlas' }).click()
    const sheet = page.getByRole('dialog')
    const port = readFileSync(join(STACK_DIR, 'updater', 'port'), 'utf8').trim()
    await sheet.getByLabel('Name', { exact: true }).fill(name)
    await sheet.getByLabel('Address').fill(`https://127.0.0.1:${port}`)
    await sheet
      .getByLabel('Its certificate authority (PEM)')
      .fill(readFileSync(join(STACK_DIR, 'updater', 'ca.pem'), 'utf8'))
    await sheet.getByLabel('Only in these namespaces').fill('nowhere')
    return sheet
  }

  test('what is wrong is said at its field, nothing typed is lost, and a good one is added where it was wanted', async ({
    page,
  }) => {
    await page.goto('/updaters?cluster=atlas')
    await fine(page)
    const sheet = await fill(page, 'Not A Name')
    await sheet.getByLabel('Address').fill('http://127.0.0.1:1')
    await sheet.getByLabel('Only in these namespaces').fill('nowhere, Not_A_Name')
    await sheet.getByRole('button', { name: 'Test and add' }).click()
    await expect(sheet.getByText('A name has lower-case letters, digits and hyphens, at most 63.')).toBeVisible()
    await expect(sheet.getByText('The address must begin with https://.')).toBeVisible()
    await expect(sheet.getByText('This is not the name of a namespace.')).toBeVisible()
    await expect(sheet.getByLabel('Only in these namespaces')).toHaveValue('nowhere, Not_A_Name')
    await fine(page, '[role=dialog]')
    // What was typed is not lost by a slip.
    await page.keyboard.press('Escape')
    await expect(sheet.getByText('What you wrote is not sent yet.')).toBeVisible()
    await page.keyboard.press('Escape')
    for (const name of [second, first]) {
      const good = await fill(page, name)
      if (name === first) await good.getByLabel('Asked').selectOption({ label: `before ${second}` })
      await good.getByRole('button', { name: 'Test and add' }).click()
      await expect(good).toHaveCount(0)
      await expect(card(page, name)).toContainText('groups in namespace nowhere')
    }
    const text = await section(page).innerText()
    expect(text.indexOf(first)).toBeLessThan(text.indexOf(second))
  })

  test('its order is changed with the keyboard, and the focus stays with what moved', async ({ page }) => {
    await page.goto('/updaters?cluster=atlas')
    const down = page.getByRole('button', { name: `Move ${first} down` })
    await down.focus()
    await page.keyboard.press('Enter')
    await expect(section(page).getByText(new RegExp(`order is now .*${second}, ${first}`))).toBeAttached()
    await expect(down).toBeFocused()
    await page.reload()
    const text = await section(page).innerText()
    expect(text.indexOf(second)).toBeLessThan(text.indexOf(first))
    await activityRow(page, `updater.moved ${first}`, 'moved in the order of updaters')
  })

  test('it is edited where it stands: it must answer, nothing typed is lost, and what was not touched stays', async ({
    page,
  }) => {
    await page.goto('/updaters?cluster=atlas')
    const own = card(page, first)
    await own.getByRole('button', { name: `Edit ${first}…` }).click()
    const sheet = page.getByRole('dialog', { name: `Edit ${first}` })
    const [address, namespaces] = [sheet.getByLabel('Address'), sheet.getByLabel('Only in these namespaces')]
    const save = sheet.getByRole('button', { name: 'Test and save' })
    const good = await address.inputValue()
    expect(good).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    await expect(namespaces).toHaveValue('nowhere')
    await expect(sheet.getByLabel('Another certificate authority (PEM)')).toHaveValue('')
    await expect(sheet).toContainText('Empty: the stored one stays; it ends')
    await expect(save).toHaveCount(0)
    await expect(sheet).toContainText('Test and save: nothing is changed yet.')
    await address.fill('https://127.0.0.1:1')
    await namespaces.fill('nowhere, elsewhere')
    await save.click()
    await expect(sheet.getByText(`The updater ${first} cannot be reached (ECONNREFUSED).`)).toBeVisible()
    await expect(address).toHaveValue('https://127.0.0.1:1')
    await expect(namespaces).toHaveValue('nowhere, elsewhere')
    await fine(page, '[role=dialog]')
    await address.fill(good)
    await save.click()
    await expect(sheet).toHaveCount(0)
    await expect(own).toContainText('groups in namespaces elsewhere and nowhere')
    await expect(own).toContainText(good)
    await expect(own.getByRole('button', { name: `Edit ${first}…` })).toBeFocused()
    await expect(card(page, second)).toContainText('groups in namespace nowhere')
    const opened = await activityRow(page, `updater.changed ${first}`, 'changed the updater')
    await expect(opened).toContainText('elsewhere')
  })

  test('asked now it says what it handles; removing it says what that means', async ({ page }) => {
    await page.goto('/updaters?cluster=atlas')
    const own = card(page, first)
    await expect(own).toContainText('Its last answer was good')
    await own.getByRole('button', { name: `Ask ${first} now` }).click()
    await expect(own).toContainText(/It answered in \d+ ms and handles CanUpdateMachine/)
    await expect(own).toContainText('Its certificate ends')
    await expect(own).toContainText('Its last answer was good')
    await own.getByText('Last answers').click()
    await expect(own).toContainText('Discovery: handles CanUpdateMachine, CanUpdateMachineSet, UpdateMachine')
    await fine(page)
    for (const name of [first, second]) {
      await card(page, name)
        .getByRole('button', { name: `Remove ${name}…` })
        .click()
      const sheet = page.getByRole('dialog')
      await expect(sheet).toContainText('No update that was approved in place depends on it.')
      await sheet.getByRole('button', { name: `Remove ${name}` }).click()
      await expect(card(page, name)).toHaveCount(0)
    }
  })
}
