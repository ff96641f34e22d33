import { expect, test, type Page } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { seriousIn, sideways } from './kit/steps'

test.describe.configure({ timeout: 180_000 })

const manifest = async (group: Group, version: string): Promise<string> => {
  const { spec } = (await group.get()) as unknown as { spec: { template: { spec: { version: string } } } }
  spec.template.spec.version = version
  const metadata = { name: group.name, namespace: 'search' }
  return JSON.stringify({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', metadata, spec }, null, 2)
}

async function sound(page: Page): Promise<void> {
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size)
    expect.soft(await seriousIn(page)).toEqual([])
    expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('what a change would do, from its manifest and from a version, and nothing of it is applied', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'plan', 3)
  try {
    // A page has asked the cluster before, by another bundle: what the cluster refuses later is understood all the same.
    const [machine] = [...(await group.machines()).keys()]
    await page.goto(`/machines?q=${machine}`)
    await page.getByRole('row').filter({ hasText: machine }).getByRole('link').first().click()
    await expect(page.getByRole('dialog').getByRole('heading').first()).toBeVisible()
    await page.goto('/updates')
    await page.getByRole('link', { name: 'Plan a change' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Plan a change' })).toBeVisible()
    await page.getByLabel('Management cluster').selectOption({ label: 'atlas' })
    const field = page.getByRole('textbox', { name: 'Manifests' })
    const plan = page.getByRole('button', { name: 'Plan', exact: true })
    const outcome = page.getByRole('region', { name: 'The plan' })

    // Wrong: by its line, and nothing of what was typed is lost.
    const right = await manifest(group, 'v1.33.7')
    const wrong = `${right}\n---\nkind: MachineDeployment\nspec: {a: [1\n`
    await field.fill(wrong)
    await plan.click()
    await expect(outcome).toContainText('Cannot be applied')
    const lines = right.split('\n').length
    const go = outcome.getByRole('button', { name: /^Go to line/ }).last()
    expect(Number((await go.textContent())?.replace('line', ''))).toBeGreaterThan(lines)
    await go.click()
    await expect(field).toBeFocused()
    await expect(field).toHaveValue(wrong)
    await sound(page)

    // Refused by the API server: its own words.
    await field.fill(await manifest(group, 'latest'))
    await plan.click()
    await expect(outcome).toContainText('must be a valid semantic version')

    // Right: the page of an update, for one that does not exist.
    await field.fill(right)
    await plan.click()
    const planned = outcome.getByRole('article', { name: group.name })
    await expect(planned).toContainText('3 machines of')
    await expect(planned).toContainText('would be updated in place')
    await expect(planned).toContainText('the API server would hold it until somebody approves it')
    await expect(planned.getByRole('row').filter({ hasText: 'spec.version' })).toContainText('v1.33.7')
    await expect(planned.getByRole('table', { name: 'Machines of this change' }).getByRole('row')).toHaveCount(4)
    await expect(outcome.getByText('In place only').first()).toBeVisible()
    await sound(page)

    // The same by a version.
    await page.getByRole('radio', { name: 'Another version of a group' }).check()
    const choice = page.getByRole('combobox', { name: 'Group' })
    await choice.selectOption(
      (await choice.locator('option', { hasText: group.name }).getAttribute('value')) ?? 'the group is not offered',
    )
    await page.getByRole('textbox', { name: 'Version' }).fill('latest')
    await plan.click()
    await expect(page.getByText('A version has three numbers, as v1.34.2.')).toBeVisible()
    await page.getByRole('textbox', { name: 'Version' }).fill('v1.33.8')
    await plan.click()
    await expect(planned).toContainText('→ v1.33.8')
    await sound(page)

    // Machines fail and come back by themselves there; none of them has another version.
    expect(new Set((await group.machines()).values())).toEqual(new Set([group.version]))
    expect(await group.paused()).toBe(false)
    await page.goto('/updates?tab=waiting')
    await expect(page.getByRole('heading', { level: 1, name: 'Updates' })).toBeVisible()
    await expect(page.getByRole('row').filter({ hasText: group.name })).toHaveCount(0)
  } finally {
    await group.remove()
  }
})
