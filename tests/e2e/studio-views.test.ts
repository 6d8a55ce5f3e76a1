import { definePlugin, use } from '@amodal/sdk'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()

let bikes = 2
const shop = definePlugin({
  name: 'shop',
  version: '1.0.0',
  setup({ add, hooks }) {
    hooks.http.routes.tap((routes) =>
      routes.mount('/api/shop', {
        fetch: () =>
          Response.json({
            widgets: [
              { widget_type: 'metric', data: { label: 'Bikes', value: bikes } },
              { widget_type: 'info-card', data: { title: 'Notice', body: 'Closed <b>today</b>' } },
            ],
          }),
      }),
    )
    add(StudioViews, 'shop', { title: 'Shop', route: '/api/shop' })
    add(StudioViews, 'lost', { title: 'Lost', route: '/api/nowhere' })
  },
})

test.skipIf(found === undefined)('the studio shows the views of other plugins', async () => {
  const studio = await Studio.open({ script: reply.text('Hello.'), entries: [use(shop)] })
  onTestFinished(() => studio.close())
  const { page } = await studio.visit('desktop')
  await page.getByRole('link', { name: 'Shop' }).click()
  await page.getByRole('heading', { name: 'Shop' }).waitFor()
  await page.getByText('Bikes').waitFor()
  expect(await page.locator('[data-widget="metric"]').textContent()).toContain('2')
  expect(await page.locator('[data-widget="info-card"] b').count()).toBe(0) // no HTML of a plugin

  bikes = 3
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.locator('[data-widget="metric"]', { hasText: '3' }).waitFor()
  await page.reload() // its address leads back to it
  await page.getByRole('heading', { name: 'Shop' }).waitFor()

  await page.getByRole('link', { name: 'Lost' }).click()
  await page.getByRole('alert').waitFor()
})
