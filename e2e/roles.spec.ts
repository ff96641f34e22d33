import { expect, request, test, type Request } from '@playwright/test'
import { BASE_URL, stateFile } from './support/constants'

const isAction = (sent: Request): boolean => sent.method() === 'POST' && 'next-action' in sent.headers()

test.describe('a viewer', () => {
  test.use({ storageState: stateFile('viewer') })

  test('reads everything and is offered nothing to act with', async ({ page }) => {
    await page.goto('/boot-images?cluster=tidal')
    const tidal = page.getByRole('article', { name: 'tidal' })
    await expect(tidal).toBeVisible()
    await expect(page.getByRole('button', { name: /Acknowledge|Opt out|Return to automatic/ })).toHaveCount(0)
    await expect(tidal.getByText('need the role operator')).toBeVisible()
    await page.goto('/clusters')
    await expect(page.getByRole('link', { name: 'Connect a cluster' })).toHaveCount(0)
    await page.getByRole('link', { name: 'atlas', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Update gate' })).toBeVisible()
    await expect(
      page.getByRole('button', {
        name: /Disconnect|Register|install|Repair|Remove|Add an updater|Change what is governed|Replace credentials/,
      }),
    ).toHaveCount(0)
    await page.goto('/clusters/new')
    await expect(page.getByRole('heading', { name: 'Your role does not allow this page.' })).toBeVisible()
    await expect(page.getByLabel('Kubeconfig', { exact: true })).toHaveCount(0)
    await expect(page.getByRole('main')).toHaveCount(1)
    await page.goto(`/updates/${crypto.randomUUID()}`)
    await expect(page.getByRole('heading', { name: 'There is nothing at this address.' })).toBeVisible()
    await expect(page.getByRole('main')).toHaveCount(1)
  })

  test('is refused when the action is called directly', async ({ browser }) => {
    const admin = await browser.newPage({ baseURL: BASE_URL, storageState: stateFile('admin') })
    await admin.goto('/boot-images?cluster=tidal')
    const caught = admin.waitForRequest(isAction)
    await admin.getByRole('button', { name: /^Acknowledge/ }).click()
    const sent = await caught
    const call = {
      headers: {
        'next-action': sent.headers()['next-action']!,
        'content-type': sent.headers()['content-type']!,
        accept: 'text/x-component',
        origin: BASE_URL,
      },
      data: sent.postData()!,
    }
    const ask = async (role: string): Promise<string> => {
      const api = await request.newContext({ baseURL: BASE_URL, storageState: stateFile(role) })
      const answer = await (await api.post('/boot-images', call)).text()
      await api.dispose()
      return answer
    }
    expect(await ask('operator')).toContain('"ok":true')
    const refused = await ask('viewer')
    expect(refused).toContain('"ok":false')
    expect(refused).toContain('"code":"forbidden"')
    await admin.close()
  })
})
