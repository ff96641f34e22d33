import { expect, test } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { activityRow, allTicked, chip, seriousIn, sideways } from './kit/steps'
import { stateFile } from './support/constants'

const TO = 'v1.33.7'
const MARKS = ['cluster.x-k8s.io/skip-remediation', 'drydock.dev/skips-remediation']
test.describe.configure({ timeout: 240_000 })

test('a health check that would delete machines in the middle of their update is told, and skipped with one click', async ({
  page,
  browser,
}) => {
  const group = await Group.make(administrator('atlas'), 'checked')
  try {
    await group.raise(TO)
    // Ten times as fast: the hosts are away for 20 s. The check waits for less than any update takes that was measured by then.
    await group.watched('200s', 1)
    const before = [...(await group.machines()).keys()].sort()
    await page.goto(`/updates?tab=waiting&q=${group.name}`)
    await page.getByRole('row').filter({ hasText: group.name }).getByRole('link').first().click()
    const told = page.getByRole('region', { name: 'Health checks' })
    await expect(told).toContainText(`${group.name} deletes a machine whose node’s condition Ready is Unknown`)
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)

    const viewer = await (await browser.newContext({ storageState: stateFile('viewer') })).newPage()
    await viewer.goto(page.url())
    await expect(viewer.getByRole('region', { name: 'Health checks' })).toContainText('that needs the role approver.')
    await viewer.close()

    await page.getByRole('button', { name: /^Approve in place/ }).click()
    const sheet = page.getByRole('dialog')
    const inSheet = sheet.getByRole('region', { name: 'Health checks' })
    await inSheet.getByRole('button', { name: 'Skip remediation while they are updated' }).click()
    await expect(inSheet).toContainText('has remediation skipped for machines while they are updated in place')
    expect(await seriousIn(page, '[role=dialog]')).toEqual([])
    expect(await group.annotated(...MARKS)).toEqual([])
    // Six seconds here: the worker marks machines every two, and the hosts are away for twenty.
    await group.checkWaits(60)
    await sheet.getByRole('button', { name: 'Approve in place' }).click()
    await allTicked(sheet)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect(told).toContainText(/[12] machines? (is|are) skipped at the moment/, { timeout: 30_000 })

    await expect
      .poll(async () => [...(await group.machines()).values()], { timeout: 120_000 })
      .toEqual(before.map(() => TO))
    await expect(chip(page, 'Done').first()).toBeVisible({ timeout: 90_000 })
    expect([...(await group.machines()).keys()].sort()).toEqual(before)
    await expect.poll(() => group.annotated(...MARKS), { timeout: 30_000 }).toEqual([])
    await activityRow(page, `remediation.restored ${group.name}`, 'restored the remediation of machines of')
  } finally {
    await group.remove()
  }
})

test('without the click the page says who was found ill in the middle of its update, and what becomes of it', async ({
  page,
}) => {
  const group = await Group.make(administrator('atlas'), 'ill')
  try {
    await group.raise(TO)
    await group.watched('600s', 1)
    const before = [...(await group.machines()).keys()]
    await page.goto(`/updates?tab=waiting&q=${group.name}`)
    await page.getByRole('row').filter({ hasText: group.name }).getByRole('link').first().click()
    await page.getByRole('button', { name: /^Approve in place/ }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'Approve in place' }).click()
    await allTicked(sheet)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    const told = page.getByRole('region', { name: 'Health checks' })
    await expect(told).toContainText(/was found ill\. It is being deleted\./, { timeout: 60_000 })
    expect(await seriousIn(page)).toEqual([])
    const left = async () => {
      const now = await group.machines()
      return before.filter((name) => now.has(name)).length
    }
    await expect.poll(left, { timeout: 60_000 }).toBeLessThan(before.length)
  } finally {
    await group.remove()
  }
})
