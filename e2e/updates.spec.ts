import { expect, test, type Locator, type Page } from '@playwright/test'
import { Client } from 'pg'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { activityRow, allTicked, chip, seriousIn, sideways } from './kit/steps'
import { readStack } from './support/constants'

const TO = 'v1.33.7'
test.describe.configure({ timeout: 180_000 })

/** The change as it shows on the page that was open all along. */
async function waiting(page: Page, group: Group): Promise<Locator> {
  await page.goto('/updates?tab=waiting')
  await expect(page.getByRole('heading', { level: 1, name: 'Updates' })).toBeVisible()
  const before = await group.machines()
  await expect(page.getByRole('row').filter({ hasText: group.name })).toHaveCount(0)
  await group.raise(TO)
  const row = page.getByRole('row').filter({ hasText: group.name })
  await expect(row).toContainText(`${group.version} → ${TO}`)
  expect(await group.paused()).toBe(true)
  expect(await group.machines()).toEqual(before)
  return row
}

/** What is too long stays as it was pasted, and is said; it is not cut. */
async function tooLong(page: Page, row: Locator, button: RegExp): Promise<void> {
  await row.getByRole('link').first().click()
  await page.getByRole('group', { name: 'Decide' }).getByRole('button', { name: button }).click()
  const sheet = page.getByRole('dialog')
  const reason = sheet.getByLabel(/^Reason/)
  await reason.fill('x'.repeat(612))
  await expect(reason).toHaveValue('x'.repeat(612))
  await expect(sheet.getByRole('alert')).toHaveText('A reason has at most 500 characters; this one has 612.')
  await expect(sheet.getByRole('button', { name: button })).toBeDisabled()
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await sheet.getByRole('button', { name: 'Close' }).first().click()
  await page.goto('/updates?tab=waiting')
}

async function decide(page: Page, row: Locator, button: RegExp, reason: string): Promise<void> {
  await row.getByRole('link').first().click()
  await page.getByRole('group', { name: 'Decide' }).getByRole('button', { name: button }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel(/^Reason/).fill(reason)
  await sheet.getByRole('button', { name: button }).click()
  await allTicked(sheet)
  await sheet.getByRole('button', { name: 'Close' }).last().click()
}

test('approved in place: the same machines get the new version, one after another', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'in-place')
  try {
    const row = await waiting(page, group)
    const before = [...(await group.machines()).keys()].sort()
    await decide(page, row, /^Approve in place/, 'Tried on payments-stage')
    await expect
      .poll(async () => [...(await group.machines()).values()], { timeout: 60_000 })
      .toEqual(before.map(() => TO))
    expect([...(await group.machines()).keys()].sort()).toEqual(before)
    await expect(chip(page, 'Done').first()).toBeVisible({ timeout: 30_000 })
    await expect(page.getByRole('button', { name: /, done$/ })).toHaveCount(2)
    const event = await activityRow(page, `change.approved ${group.name}`, 'approved the change of')
    await expect(event).toContainText('Tried on payments-stage')
  } finally {
    await group.remove()
  }
})

test('with a spare machine the page says before what becomes of each, and afterwards that it did', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'spare', 3, true)
  try {
    const row = await waiting(page, group)
    const before = [...(await group.machines()).keys()]
    await row.getByRole('link').first().click()
    const approve = page.getByRole('button', { name: 'Approve in place (2 in place, 1 replaced)' })
    await expect(approve).toBeVisible()
    // Played forward, by keyboard: the spare first, then the two that stay, then the one that goes.
    const steps = page.getByRole('slider', { name: 'Step of the rollout' })
    await expect(steps).toHaveAttribute('aria-valuetext', /^At the start: 0 done, 3 available of 3\.$/)
    await steps.press('ArrowRight')
    await expect(steps).toHaveAttribute('aria-valuetext', /: 0 done, 3 available of 4; 1 machine is being created/)
    await steps.press('End')
    await expect(steps).toHaveAttribute('aria-valuetext', /: 3 done, 3 available of 3\.$/)
    await page.getByRole('button', { name: 'replacing', exact: true }).click()
    await expect(page.getByText('It needs room for 1 machine more than there are.')).toBeVisible()
    await approve.click()
    const sheet = page.getByRole('dialog')
    await expect(sheet.getByText('1 machine is created before any other moves')).toBeVisible()
    await expect(sheet.getByText('2 machines are updated where they stand')).toBeVisible()
    await expect(sheet.getByText('1 of the 3 machines that are there now is deleted at the end')).toBeVisible()
    await sheet.getByRole('button', { name: 'Approve in place' }).click()
    await allTicked(sheet)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByRole('heading', { level: 1 })).not.toContainText('would be')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      'Done: 2 updated in place, 1 created, 1 deleted.',
      { timeout: 60_000 },
    )
    await expect(page.getByText('As foretold: 4 of 4 machines (100 %)')).toBeVisible()
    const after = await group.machines()
    expect([...after.values()]).toEqual([TO, TO, TO])
    expect(before.filter((name) => after.has(name))).toHaveLength(2)
  } finally {
    await group.remove()
  }
})

test('approved replacing: other machines take their place', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'replace')
  try {
    const row = await waiting(page, group)
    const before = [...(await group.machines()).keys()]
    await decide(page, row, /^Approve replacing/, 'The image has to change as well')
    await expect
      .poll(async () => [...(await group.machines()).values()], { timeout: 60_000 })
      .toEqual(before.map(() => TO))
    for (const name of before) expect([...(await group.machines()).keys()]).not.toContain(name)
    await activityRow(page, `change.approved ${group.name}`, 'approved the change of')
  } finally {
    await group.remove()
  }
})

test('rejected: it stays held, marked as rejected, and nothing moves', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'reject', 1)
  try {
    const row = await waiting(page, group)
    const before = await group.machines()
    await tooLong(page, row, /^Reject/)
    await decide(page, row, /^Reject/, 'Not before the audit')
    await expect(
      page
        .locator('main')
        .getByText(/rejected/i)
        .first(),
    ).toBeVisible()
    expect(await group.paused()).toBe(true)
    expect(JSON.stringify((await group.get()).metadata.annotations)).toMatch(/reject/i)
    expect(await group.machines()).toEqual(before)
    const event = await activityRow(page, `change.rejected ${group.name}`, 'rejected the change of')
    await expect(event).toContainText('Not before the audit')
    await growsOld(page, group)
  } finally {
    await group.remove()
  }
})

/** What is held says so, and for how long; a day later people are reminded. */
async function growsOld(page: Page, group: Group): Promise<void> {
  await page.goto(`/updates?tab=waiting&q=${group.name}`)
  const row = page.getByRole('row').filter({ hasText: group.name })
  await expect(row.getByText(/stood still for/)).toHaveCount(0)
  await row.getByRole('link').first().click()
  await expect(page.getByText(/^It has stood still for (a moment|\d+ (s|min))/)).toBeVisible()
  await expect(page.getByText(/^Meanwhile: Labels, annotations and time-outs do not reach/)).toBeVisible()
  const client = new Client({ connectionString: readStack().databaseUrl })
  await client.connect()
  await client.query(`UPDATE machine_group SET held_since = now() - interval '25 hours' WHERE name = $1`, [group.name])
  await client.end()
  await expect(page.getByText(/a hold may rest unnoticed/)).toBeVisible({ timeout: 60_000 })
  expect(await seriousIn(page)).toEqual([])
  await page.goto(`/updates?tab=waiting&q=${group.name}`)
  await expect(row).toContainText('stood still for 1 d')
  await page.goto('/')
  await expect(
    page.locator('#page').getByText('It has stood still for 25 hours. Rejected, and still held'),
  ).toBeVisible()
}

test('a change shows on an open page within a second', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'second', 1)
  try {
    await page.goto('/updates?tab=waiting')
    const row = page.getByRole('row').filter({ hasText: group.name })
    await expect(page.getByRole('heading', { level: 1, name: 'Updates' })).toBeVisible()
    await page.evaluate((name) => {
      const seen = () => document.querySelector('main')?.textContent?.includes(name) && performance.mark('shown')
      new MutationObserver(seen).observe(document.body, { subtree: true, childList: true, characterData: true })
      performance.mark('from')
    }, group.name)
    await group.raise(TO)
    await expect(row).toBeVisible()
    const took = await page.evaluate(
      () => performance.getEntriesByName('shown')[0]!.startTime - performance.getEntriesByName('from')[0]!.startTime,
    )
    test.info().annotations.push({ type: 'ms from the write to the page', description: String(Math.round(took)) })
    expect(took).toBeLessThan(5_000) // a second on a quiet machine; this one runs the whole stack beside it
  } finally {
    await group.remove()
  }
})

test('machines of all clusters in one table, filtered by the address, opened in a drawer', async ({ page }) => {
  await page.goto('/machines')
  const rows = page.locator('main tbody tr')
  const others = rows.filter({ hasText: /payments-prod|media|search-eu/ })
  await expect(others.first()).toBeVisible()
  const filter = page.locator('main [data-filter]')
  await expect(async () => {
    await filter.fill('cluster:tidal')
    await filter.press('Enter')
    await expect(page).toHaveURL(/cluster(%3A|:)tidal/, { timeout: 3_000 })
  }).toPass()
  await expect(others).toHaveCount(0)
  await expect(rows.filter({ hasText: 'tidal' }).first()).toBeVisible()
  await rows.first().getByRole('link').first().click()
  await expect(page.getByRole('dialog')).toContainText('Conditions')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // Anywhere in the row does the same, once the table has its width back.
  await expect(async () => {
    await rows.first().getByRole('cell').nth(3).click()
    await expect(page.getByRole('dialog')).toContainText('Conditions', { timeout: 3_000 })
  }).toPass()
})
