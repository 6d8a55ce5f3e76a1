import { startShop } from './shop.ts'

/** Serves the agent and the shop: `node examples/widget-host/src/main.ts`. */
const shop = await startShop({ env: process.env, port: Number(process.env['PORT'] ?? 0) })
process.stdout.write(
  `One script tag:  ${shop.url}\nAn element:      ${shop.url}/element\nReact:           ${shop.url}/react\nVue:             ${shop.url}/vue\n`,
)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void shop[Symbol.asyncDispose]().then(() => process.exit()))
