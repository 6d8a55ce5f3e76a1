import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { everything, until } from './start.ts'

/** The reference server at an address of its own. */
export async function listening(transport: 'sse' | 'streamableHttp'): Promise<{
  readonly url: string
  readonly stop: () => Promise<void>
  readonly again: () => Promise<void>
}> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  const port = typeof address === 'object' && address ? address.port : 0
  probe.close()
  const start = async (): Promise<ReturnType<typeof spawn>> => {
    const child = spawn(process.execPath, [everything, transport], {
      env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
      stdio: 'ignore',
    })
    await until(() =>
      fetch(`http://127.0.0.1:${port}/nowhere`).then(
        () => true,
        () => false,
      ),
    )
    return child
  }
  let child = await start()
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(stop)
  const again = async (): Promise<void> => {
    child = await start()
  }
  return { again, url: `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`, stop }
}
