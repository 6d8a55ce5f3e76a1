import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { use } from '@amodal/sdk'
import { startHost } from './host.ts'

export interface ShopOptions {
  /** Folder of the agent. Default: that of this example. */
  readonly dir?: string
  /** Port of the shop. Default: a free one. */
  readonly port?: number
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Shop extends AsyncDisposable {
  /** Address of the shop. */
  readonly url: string
  /** Address of the agent. */
  readonly agent: string
}

/** Starts the shop, and the agent that its pages show. */
export async function startShop({ dir, port, env }: ShopOptions): Promise<Shop> {
  const host = await startHost(port)
  // a deployment has both of them in its environment
  const key = `amodal_${'a'.repeat(12)}_${randomBytes(32).toString('base64url')}`
  const started = await startFolder({
    dir: dir ?? join(import.meta.dirname, '../agent'),
    preset: 'dev',
    env: {
      ...env,
      AMODAL_API_KEYS: `${key};name=shop;scopes=chat+sessions+tokens`,
      AMODAL_TOKEN_SECRET: randomBytes(32).toString('base64url'),
    },
    entries: [use(http, { port: 0, cors: { origins: [host.url] } })],
  })
  if (!started.ok) {
    await host[Symbol.asyncDispose]()
    throw new Error(explainStart(started.error))
  }
  const address = started.value.kernel.scope.get(HttpApp).address()
  const agent = `http://${address?.host}:${address?.port}`
  host.agent = { url: agent, key }
  return {
    url: host.url,
    agent,
    async [Symbol.asyncDispose]() {
      await Promise.all([started.value.close('SIGTERM'), host[Symbol.asyncDispose]()])
    },
  }
}
