import { expect, test, type Page } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { allTicked, approveInPlace, seriousIn, sideways } from './kit/steps'

const TO = 'v1.33.7'
test.describe.configure({ timeout: 180_000 })

async function sound(page: Page): Promise<void> {
  for (const size of [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size)
    expect.soft(await seriousIn(page)).toEqual([])
    expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
  }
}

test('a rollout that is paused goes back by one button, after its plan; what comes of it waits for approval', async ({
  page,
}) => {
  const group = await Group.make(administrator('atlas'), 'back', 6)
  try {
    await group.raise(TO)
    const sheet = await approveInPlace(page, group.name)
    await allTicked(sheet)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Pause…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click()
    await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(true)
    const moved = async () => [...(await group.machines()).values()].filter((version) => version === TO).length
    await expect.poll(moved, { timeout: 60_000 }).toBeGreaterThan(0)

    await page.getByRole('link', { name: 'What going back would do' }).click()
    const back = page.getByRole('region', { name: 'Going back' })
    await expect(back.getByRole('article', { name: group.name })).toContainText(`${TO} → ${group.version}`)
    await expect(back.getByText('waits for approval under the same policies')).toBeVisible()
    await sound(page)

    // Somebody writes what it wants meanwhile: the plan does not count any more.
    await group.orders('Newest')
    await back.getByRole('button', { name: 'Roll back…' }).click()
    const write = page.getByRole('dialog')
    await expect(write.getByRole('button', { name: 'Roll back', exact: true })).toBeDisabled()
    await write.getByLabel('Reason').fill('it does not come up')
    await sound(page)
    await write.getByRole('button', { name: 'Roll back', exact: true }).click()
    await expect(write.getByText('changed since this was planned. Nothing was written.')).toBeVisible()
    await write.getByRole('button', { name: 'Close' }).first().click()
    await back.getByRole('button', { name: 'Plan going back again' }).click()
    await expect(back.getByRole('button', { name: 'Plan going back again' })).toBeEnabled()
    await back.getByRole('button', { name: 'Roll back…' }).click()
    await write.getByLabel('Reason').fill('it does not come up')
    await write.getByRole('button', { name: 'Roll back', exact: true }).click()
    await expect(back.getByText(/^stored as resourceVersion/)).toBeVisible()
    expect(await group.paused()).toBe(true)
    await sound(page)

    await back.getByRole('link', { name: 'Go to what waits' }).click()
    // At once, where it has been seen by then.
    const newer = page.getByRole('link', { name: 'Review the newer change' })
    const there = page.getByText(`${TO} → ${group.version}`).first()
    await expect(newer.or(there).first()).toBeVisible()
    if (await newer.isVisible()) await newer.click()
    await expect(there).toBeVisible()
    await expect(page.getByText(/written by admin@drydock\.example, seen /)).toBeVisible()
    expect(await group.paused()).toBe(true)
  } finally {
    await group.remove()
  }
})
