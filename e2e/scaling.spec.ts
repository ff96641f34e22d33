import { expect, test } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { allTicked, approveInPlace, removePolicy, seriousIn, sideways } from './kit/steps'

test.describe.configure({ timeout: 180_000 })
const TO = 'v1.33.7'
const DEPLOYMENTS = '/apis/cluster.x-k8s.io/v1beta2/namespaces/search/machinedeployments'
const CONTROL_PLANE = '/apis/controlplane.cluster.x-k8s.io/v1beta2/namespaces/media/kubeadmcontrolplanes/media-cp'
const SETS = '/apis/cluster.x-k8s.io/v1beta2/namespaces/media/machinesets'
const SKIP = 'machineset.cluster.x-k8s.io/skip-preflight-checks'

test('a held group is written and scaled as its policy says, and goes on from there', async ({ page }) => {
  const admin = administrator('atlas')
  const group = await Group.make(admin, 'scales')
  const policy = `scales-${group.name}`
  try {
    await page.goto('/policies/new')
    await page.locator('#page').getByLabel('Name', { exact: true }).fill(policy)
    await page.getByRole('textbox', { name: 'Groups' }).fill(group.name)
    await page.getByLabel('Scaling of a worker group').selectOption('goes on')
    await page.getByLabel('A node is drained for at most').fill('10m')
    await page.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('table', { name: 'Policies' }).getByRole('row').filter({ hasText: policy })
    await expect(row).toContainText('scales while it is held, drain time-out 10m')

    await group.raise(TO)
    await page.goto(`/updates?tab=waiting&q=${group.name}`)
    await page.getByRole('row').filter({ hasText: group.name }).getByRole('link').first().click()
    await expect(
      page.getByText(`It scales all the same, with the machines that it has (policy ${policy})`),
    ).toBeVisible()
    await expect(page.getByText('Its policies ask for drain time-out 10m: written to the group')).toBeVisible({
      timeout: 30_000,
    })
    await admin.merge(`${DEPLOYMENTS}/${group.name}`, { spec: { replicas: 4 } })
    await expect(page.getByText(/machine set .* is to have 4 machines/)).toBeVisible({ timeout: 30_000 })
    await expect
      .poll(async () => [...(await group.machines()).values()], { timeout: 60_000 })
      .toEqual(Array.from({ length: 4 }, () => group.version))
    expect(await group.paused()).toBe(true)
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    const sheet = await approveInPlace(page, group.name)
    await allTicked(sheet)
    await expect
      .poll(async () => [...(await group.machines()).values()], { timeout: 90_000 })
      .toEqual(Array.from({ length: 4 }, () => TO))
  } finally {
    await removePolicy(page, policy)
    await group.remove()
  }
})

test('a control plane that waits says that it keeps workers away, and somebody lets them come', async ({ page }) => {
  const admin = administrator('atlas')
  const { spec } = await admin.get(CONTROL_PLANE)
  const from = String(spec.version)
  const to = from.replace(/\d+$/, (patch) => String(Number(patch) + 1))
  const skipped = async () => (await admin.list(SETS)).filter(({ metadata }) => metadata.annotations?.[SKIP]).length
  try {
    await admin.merge(CONTROL_PLANE, { spec: { version: to } })
    await page.goto('/updates?tab=waiting&q=media-cp')
    await page.getByRole('row').filter({ hasText: 'media-cp' }).getByRole('link').first().click()
    await expect(page.getByText(`Worker groups of its cluster get no new machines while ${to} waits.`)).toBeVisible()
    await page.getByRole('button', { name: 'Let them grow…' }).click()
    const sheet = page.getByRole('dialog')
    await expect(sheet).toContainText(`All machines of this control plane still have ${from}`)
    expect(await seriousIn(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Let them grow' }).click()
    await expect(page.getByText('let worker groups of its cluster get machines meanwhile')).toBeVisible()
    await expect.poll(skipped, { timeout: 30_000 }).toBeGreaterThan(0)
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Have the checks made again' }).click()
    await expect(page.getByRole('button', { name: 'Let them grow…' })).toBeVisible()
    await expect.poll(skipped, { timeout: 30_000 }).toBe(0)
  } finally {
    await admin.merge(CONTROL_PLANE, { spec: { version: from } })
  }
})
