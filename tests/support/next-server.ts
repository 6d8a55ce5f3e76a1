import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

export interface NextServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
}

/**
 * A server of Next.js as a process of its own, once it takes requests.
 *
 * @param argv what Node runs in `cwd`
 * @param env gets `PORT` and `HOSTNAME` as well
 */
export async function startNext(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<NextServer> {
  const port = await freePort()
  const server = spawn(process.execPath, argv, {
    cwd,
    env: { ...env, HOSTNAME: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'close')
  const lines = createInterface({ input: server.stdout })
  const isReady = await new Promise<boolean>((resolve) => {
    lines.on('line', (line) => {
      if (line.includes('Ready')) resolve(true)
    })
    lines.once('close', () => resolve(false))
  })
  if (!isReady) throw new Error('the server of Next.js ended before it was ready')
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.kill()
      await ended
    },
  }
}

/** Next.js takes 0 for no port at all. */
async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo // it listens
  holder.close()
  await once(holder, 'close')
  return port
}
