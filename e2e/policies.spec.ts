import { expect, test, type Page } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { allTicked, approveInPlace, removePolicy, seriousIn, sideways } from './kit/steps'
import { BASE_URL, stateFile } from './support/constants'

const TO = 'v1.33.7'
test.describe.configure({ timeout: 180_000 })

/** Writes a policy for one group, by the page; on its right half stands what it would do. */
async function writePolicy(page: Page, name: string, group: string): Promise<void> {
  await page.goto('/policies')
  await page.getByRole('link', { name: 'New policy' }).click()
  await page.locator('#page').getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Groups' }).fill(group)
  await page.getByLabel('Approvals').fill('two')
  await expect(page.getByRole('alert').first()).toHaveText('Approvals are a whole number from 0 to 10.')
  await page.getByLabel('Approvals').fill('2')
  await expect(page.getByText('It is for 1 group with 2 machines now; 1 group would get other rules.')).toBeVisible()
  const row = page.getByRole('table', { name: 'Groups that it is for' }).getByRole('row').filter({ hasText: group })
  await expect(row).toContainText('1 approval → 2 approvals')
  await expect(row).toContainText(`policy ${name}: it names the group ${group}`)
  expect(await seriousIn(page)).toEqual([])
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('table', { name: 'Policies' }).getByRole('row').filter({ hasText: name })).toContainText(
    '2 approvals',
  )
}

test('one of two approvals lets nothing go, and can be taken back; the second lets it go', async ({
  page,
  browser,
}) => {
  const group = await Group.make(administrator('atlas'), 'policy')
  const policy = `two-${group.name}`
  const other = await browser.newPage({ baseURL: BASE_URL, storageState: stateFile('approver') })
  try {
    await writePolicy(page, policy, group.name)
    const before = await group.machines()
    await group.raise(TO)
    const first = await approveInPlace(other, group.name)
    await expect(first.getByText('1 more is needed: nothing has been sent to the cluster.')).toBeVisible()
    await first.getByRole('button', { name: 'Close' }).last().click()
    await expect(other.getByText('You approved it in place; 1 more of 2 is needed.')).toBeVisible()
    expect(await group.paused()).toBe(true)

    await page.goto(`/updates?tab=waiting&q=${group.name}`)
    await expect(page.getByRole('row').filter({ hasText: group.name })).toContainText('1 of 2 approvals')
    await other.getByRole('group', { name: 'Decide' }).getByRole('button', { name: 'Take back' }).click()
    await expect(page.getByRole('row').filter({ hasText: group.name })).toContainText('Waiting for 2 approvals')
    await expect(other.getByText('(taken back)')).toBeVisible()

    await (await approveInPlace(other, group.name)).getByText('Your approval is kept.').waitFor()
    expect([...(await group.machines())]).toEqual([...before])
    const last = await approveInPlace(page, group.name)
    await allTicked(last)
    await last.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByText(`policy ${policy}, version 1: it names the group ${group.name}`)).toBeVisible()
    await expect
      .poll(async () => [...(await group.machines()).values()], { timeout: 60_000 })
      .toEqual([...before.keys()].map(() => TO))
    await removePolicy(page, policy)
  } finally {
    await other.close()
    await group.remove()
  }
})

test('in a freeze an approval is kept; who cannot wait says why, and it is held again, paused and resumed', async ({
  page,
}) => {
  const group = await Group.make(administrator('atlas'), 'freeze', 5)
  const policy = `freeze-${group.name}`
  try {
    await page.goto('/policies/new')
    await page.locator('#page').getByLabel('Name', { exact: true }).fill(policy)
    await page.getByRole('textbox', { name: 'Groups' }).fill(group.name)
    await page.getByRole('button', { name: 'Add a freeze' }).click()
    const freeze = page.getByRole('group', { name: 'freeze 1' })
    await freeze.getByLabel('Time zone').fill('UTC')
    await freeze.getByLabel('Starts').fill('2026-01-01T00:00')
    await freeze.getByLabel('Lasts').fill('2025-01-01T00:00')
    await expect(freeze.getByRole('alert')).toHaveText('It ends before it starts.')
    await freeze.getByLabel('Lasts').fill('2099-01-01T00:00')
    await freeze.getByLabel('Why').fill('the sale')
    const never = 'By its windows and freezes, no machine may move within a year.'
    await expect(page.getByRole('listitem').filter({ hasText: never })).toBeVisible()
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(
      page.getByRole('table', { name: 'Policies' }).getByRole('row').filter({ hasText: policy }),
    ).toContainText('not in: 2026-01-01 00:00 to 2099')

    await group.raise(TO)
    const sheet = await approveInPlace(page, group.name)
    await expect(sheet.getByRole('status').filter({ hasText: 'kept' })).toContainText(
      'for longer than a year. It goes by itself when that is over. Nothing is sent to the cluster before that.',
    )
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByText('Approved, frozen')).toBeVisible()
    expect(await group.paused()).toBe(true)

    await page.getByRole('button', { name: 'Do not wait…' }).click()
    const why = page.getByRole('dialog')
    await expect(why.getByRole('button', { name: 'Do not wait', exact: true })).toBeDisabled()
    await why.getByLabel('Reason').fill('a hole in the kernel')
    expect(await seriousIn(page)).toEqual([])
    await why.getByRole('button', { name: 'Do not wait', exact: true }).click()
    await expect(page.getByText('“a hole in the kernel”').first()).toBeVisible()
    await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(false)
    await page.getByRole('button', { name: 'Hold it to them again' }).click()
    await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(true)
    await expect(page.getByText(`Held, frozen by the policy ${policy} (the sale)`)).toBeVisible({ timeout: 30_000 })
    const change = page.url()
    await removePolicy(page, policy)
    await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(false)

    await page.goto(change)
    await page.getByRole('button', { name: 'Pause…' }).click()
    const pause = page.getByRole('dialog')
    await pause.getByLabel('Reason').fill('the dashboards are red')
    await pause.getByRole('button', { name: 'Pause', exact: true }).click()
    await expect(page.getByText('“the dashboards are red”').first()).toBeVisible()
    await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(true)
    expect(await seriousIn(page)).toEqual([])
    await page.getByRole('button', { name: 'Resume…' }).click()
    await expect(pause.getByText('“the dashboards are red”')).toBeVisible()
    expect(await seriousIn(page)).toEqual([])
    await pause.getByRole('button', { name: 'Resume', exact: true }).click()
    await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(false)
  } finally {
    await group.remove()
  }
})

test('when as many machines fail as its policy says, a rollout stops by itself, and goes on when somebody says so', async ({
  page,
}) => {
  const group = await Group.make(administrator('atlas'), 'stops', 4)
  const policy = `stops-${group.name}`
  try {
    await page.goto('/policies/new')
    await page.locator('#page').getByLabel('Name', { exact: true }).fill(policy)
    await page.getByRole('textbox', { name: 'Groups' }).fill(group.name)
    await page.getByLabel('It stops by itself').fill('0')
    await expect(page.getByRole('alert').first()).toHaveText(/a share of them as 10%/)
    await page.getByLabel('It stops by itself').fill('25%')
    await expect(page.getByText('does not stop by itself → stops when 25% of the machines failed')).toBeVisible()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(
      page.getByRole('table', { name: 'Policies' }).getByRole('row').filter({ hasText: policy }),
    ).toContainText('stops when 25% of the machines failed')

    await group.raise(TO)
    const sheet = await approveInPlace(page, group.name)
    await allTicked(sheet)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    const begun = async () => [...(await group.machines())].find(([, version]) => version === TO)?.[0]
    await expect.poll(begun, { timeout: 30_000 }).toBeTruthy()
    const ill = (await begun())!
    await group.fallsIll(ill)
    await expect(page.getByText('It stopped by itself').first()).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText(`by the policy ${policy}: 1 machine failed (${ill}:`).first()).toBeVisible()
    await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(true)
    const before = await group.machines()
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    // That it goes on as approved comes first, on a phone, too; what failed is no machine that is up to date.
    await expect(page.getByRole('heading', { level: 1 })).toContainText('1 failed')
    await expect(page.getByText('1 machine has failed already: it is none of these.').first()).toBeVisible()
    const played = page.locator('section').filter({ hasText: 'Played forward' }).last()
    await expect(played).toContainText('Machines that are not available keep it from going on')
    const goOn = page.getByRole('button', { name: 'Go on…' })
    const high = async (button: typeof goOn) => (await button.boundingBox())!.y
    expect(await high(goOn)).toBeLessThan(await high(page.getByRole('button', { name: /^Approve/ }).first()))

    await goOn.click()
    const why = page.getByRole('dialog')
    await expect(why.getByRole('button', { name: 'Go on' })).toBeDisabled()
    await why.getByLabel('Reason').fill('that node was ill before')
    expect(await seriousIn(page)).toEqual([])
    expect([...(await group.machines()).values()].filter((version) => version === TO).length).toBeLessThan(4)
    expect(before.size).toBeGreaterThan(0)
    await why.getByRole('button', { name: 'Go on' }).click()
    await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(false)
    await expect(page.getByText(/let it go on .*: “that node was ill before”.*by the policy/)).toBeVisible()
    await expect(page.getByText(/ let it go on: that node was ill before$/)).toBeVisible()
    await removePolicy(page, policy)
  } finally {
    await group.remove()
  }
})

test('as YAML: what is wrong is said by its line; what it would do stands there before it is saved', async ({
  page,
}) => {
  await page.goto('/policies')
  await page.getByRole('button', { name: 'As YAML' }).click()
  const sheet = page.getByRole('dialog')
  const text = sheet.getByLabel('Policies', { exact: true })
  const look = sheet.getByRole('button', { name: 'See what this would do' })
  await text.fill('name: e2e-yaml\napprovals: 3\nselect:\n  names: [nobody]\naprovals: always\n')
  await look.click()
  await expect(sheet.getByRole('alert')).toContainText('line 5: A policy does not know aprovals: approvals?')
  await expect(text).toHaveValue(/aprovals: always/)
  const fine = 'name: e2e-yaml\napprovals: 3\nselect:\n  names: [nobody]\n'
  await text.fill(fine)
  await look.click()
  await expect(sheet.getByText('1 new: e2e-yaml')).toBeVisible()
  await expect(sheet.getByText('Saving this lets no change go at once, and holds no rollout.')).toBeVisible()
  await expect(sheet.getByText('e2e-yaml: No group that is there now fits it.')).toBeVisible()
  expect(await seriousIn(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Save 1 policy' }).click()
  await expect(page.getByText('Imported: 1 new.')).toBeVisible()
  await expect(sheet).toBeHidden()
  await expect(page.getByRole('row').filter({ hasText: 'e2e-yaml' })).toContainText('groups named nobody')
  await page.getByRole('button', { name: 'As YAML' }).click()
  await text.fill(fine)
  await look.click()
  await expect(sheet.getByText('it says what is there already.')).toBeVisible()
  // Somebody else saves one of them after it was looked at: that is not written over unseen, and what is typed stays.
  await text.fill(fine.replace('3', '4'))
  await look.click()
  await expect(sheet.getByText('1 changed: e2e-yaml')).toBeVisible()
  const other = await page.context().newPage()
  await other.goto('/policies')
  await other.getByRole('button', { name: 'As YAML' }).click()
  const theirs = other.getByRole('dialog')
  await theirs.getByLabel('Policies', { exact: true }).fill(fine.replace('3', '5'))
  await theirs.getByRole('button', { name: 'See what this would do' }).click()
  await theirs.getByRole('button', { name: 'Save 1 policy' }).click()
  await expect(other.getByText('Imported: 1 changed.')).toBeVisible()
  await other.close()
  await sheet.getByRole('button', { name: 'Save 1 policy' }).click()
  await expect(sheet.getByRole('alert')).toContainText('Somebody changed e2e-yaml while you were looking at it.')
  await expect(text).toHaveValue(/approvals: 4/)
  await look.click()
  await sheet.getByRole('button', { name: 'Save 1 policy' }).click()
  await expect(page.getByText('Imported: 1 changed.')).toBeVisible()
  await removePolicy(page, 'e2e-yaml')
})

test('a rule of its own is typed letter by letter, past rules that have words', async ({ page }) => {
  await page.goto('/policies/new')
  await page.getByRole('button', { name: 'Add a window' }).click()
  const window = page.getByRole('group', { name: 'window 1' })
  await window.getByLabel('Again').selectOption('by a rule of its own')
  const rule = window.getByLabel('Rule (RFC 5545)')
  await rule.fill('')
  await rule.pressSequentially('FREQ=DAILY;INTERVAL=2')
  await expect(rule).toHaveValue('FREQ=DAILY;INTERVAL=2')
  await expect(window.getByLabel('Again')).toHaveValue('rule')
  // One that comes after it is another one, also where it takes its place.
  await page.getByRole('button', { name: 'Add a window' }).click()
  await page.getByRole('button', { name: 'Remove window 1' }).click()
  await expect(window.getByLabel('Again')).toHaveValue('FREQ=DAILY')
  await expect(rule).toBeHidden()
  await window.getByLabel('Time zone').fill('Asia/Tokyo')
  await expect(page.getByRole('listitem').filter({ hasText: 'in Asia/Tokyo)' }).first()).toBeVisible()
})

test('before it is saved it says what goes at once; what is typed outlives leaving the page', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'at-once')
  const policy = `at-once-${group.name}`
  try {
    await group.raise(TO)
    await expect(async () => {
      await page.goto(`/updates?tab=waiting&q=${group.name}`)
      await expect(page.getByRole('row').filter({ hasText: group.name })).toContainText('in place', { timeout: 3_000 })
    }).toPass()
    await page.goto('/policies/new')
    await page.locator('#page').getByLabel('Name', { exact: true }).fill(policy)
    await page.getByLabel('Labels of the workload cluster').fill('environment=prodd')
    const preview = page.getByRole('region', { name: 'What it would do' })
    await expect(
      preview.getByText('No workload cluster has the label environment=prodd; there are environment='),
    ).toBeVisible()
    await page.getByLabel('Labels of the workload cluster').fill('')
    await page.getByRole('textbox', { name: 'Groups' }).fill(group.name)
    await expect(preview.getByText('It is for 1 group with 2 machines now')).toBeVisible()
    await page.getByLabel('Approvals').fill('0')
    await page.getByLabel('Strategy').selectOption('replace')
    await expect(preview.getByText('1 change that waits goes at once')).toContainText('2 machines are replaced')
    await expect(preview.getByRole('link', { name: `/ ${group.name}` })).toHaveAttribute('href', /\/updates\//)
    await page.getByLabel('Approvals').fill('none')
    await expect(preview.getByText('What stands below is of before.')).toBeVisible()
    await page.getByLabel('Approvals').fill('0')
    await expect(preview.getByText('What stands below is of before.')).toHaveCount(0)
    await expect(preview).toHaveAttribute('aria-busy', 'false')
    expect(await seriousIn(page)).toEqual([])

    await page.getByRole('link', { name: 'Updates' }).first().click()
    await expect(page.getByRole('heading', { level: 1, name: 'Updates' })).toBeVisible()
    await page.goto('/policies/new')
    await expect(page.getByText('This is what you typed before, and did not save.')).toBeVisible()
    await expect(page.locator('#page').getByLabel('Name', { exact: true })).toHaveValue(policy)
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(page.getByText('1 group, 1 with other rules. 1 change that waits goes at once')).toBeVisible()
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Throw it away' }).click()
    await expect(page.locator('#page').getByLabel('Name', { exact: true })).toHaveValue('')
    await page.reload()
    await expect(page.getByText('This is what you typed before')).toHaveCount(0)
  } finally {
    await group.remove()
  }
})

test('it is not saved before it is shown what that does, nor by a key', async ({ page }) => {
  await page.goto('/policies/new')
  const preview = page.getByRole('region', { name: 'What it would do' })
  const nothing = preview.getByText('Saving it lets no change go at once, and holds no rollout.')
  await page.locator('#page').getByLabel('Name', { exact: true }).fill('e2e-looked')
  await page.getByRole('textbox', { name: 'Groups' }).fill('nobody')
  await page.getByLabel('Approvals').fill('1')
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
  await expect(nothing).toBeVisible()
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/policies/new', async (route) => {
    await answered
    await route.continue()
  })
  await page.getByLabel('Approvals').fill('0')
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await expect(page.getByText('Save: what it would do is being looked at.')).toBeVisible()
  await expect(preview.getByText('What saving it would do is being looked at…')).toBeVisible()
  await expect(nothing).toHaveCount(0)
  await page.getByLabel('Approvals').press('Enter')
  answer()
  await expect(nothing).toBeVisible()
  await expect(page).toHaveURL(/new$/)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'e2e-looked' })).toContainText('no approval')
  await removePolicy(page, 'e2e-looked')
})

test('where what it does could not be looked at, it is neither saved nor removed before that is looked at again', async ({
  page,
}) => {
  const [name, again] = ['e2e-lost', page.getByRole('button', { name: 'Look again' })]
  const preview = page.getByRole('region', { name: 'What it would do' })
  const lost = async (path: string) => {
    await page.route(path, (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 504, body: 'timed out' }) : route.continue(),
    )
    return () => page.unroute(path)
  }
  await page.goto('/policies/new')
  await page.locator('#page').getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Groups' }).fill('nobody')
  await page.getByLabel('Approvals').fill('1')
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
  const back = await lost('**/policies/new')
  await page.getByLabel('Approvals').fill('0')
  await expect(page.getByText('Save: what it would do could not be looked at.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await expect(preview.getByRole('status').first()).toHaveText('What stands below is of before.')
  await page.getByLabel('Approvals').press('Enter')
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByText('What saving it would do could not be looked at.')).toBeVisible()
  expect(await seriousIn(page)).toEqual([])
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await back()
  await expect(page).toHaveURL(/new$/)
  await again.click()
  await expect(page.getByText('could not be looked at.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('button', { name: 'Remove…' })).toBeVisible()
  const there = await lost('**/policies/*')
  await page.getByRole('button', { name: 'Remove…' }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.getByText('what that does at once could not be looked at.')).toBeVisible()
  await expect(sheet.getByRole('button', { name: `Remove ${name}` })).toHaveCount(0)
  expect(await seriousIn(page)).toEqual([])
  await there()
  await sheet.getByRole('button', { name: 'Look again' }).click()
  await sheet.getByRole('button', { name: `Remove ${name}` }).click()
  await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0)
})

test.describe('a viewer', () => {
  test.use({ storageState: stateFile('viewer') })
  test('reads policies, and is offered nothing to write with', async ({ page }) => {
    await page.goto('/policies')
    await expect(page.getByRole('heading', { level: 1, name: 'Policies' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'New policy' })).toHaveCount(0)
    await page.goto('/policies/new')
    await expect(page.getByRole('heading', { name: 'Your role does not allow this page.' })).toBeVisible()
  })
})
