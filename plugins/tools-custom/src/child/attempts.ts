// A handler that attempts what no handler may do. It reports what it could reach; the server
// compares.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

interface Targets {
  readonly server: number
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly port: number
  readonly marker: string
}

const CONNECT_MS = 1_000
const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}
const hashOf = (file: string): string | undefined =>
  attempt(() => createHash('sha256').update(readFileSync(file)).digest('hex'))

export default async ({ server, read, write, port, marker }: Targets): Promise<object> => {
  const others = attempt(() => readdirSync('/proc')) ?? []
  const environments = [String(server), ...others.filter((name) => /^\d+$/.test(name))].map(
    (name) => hashOf(`/proc/${name}/environ`),
  )
  for (const file of write) attempt(() => writeFileSync(file, marker))
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (): void => {
      socket.destroy()
      resolve()
    }
    socket
      .setTimeout(CONNECT_MS, done)
      .once('connect', () => socket.end(marker, done))
      .once('error', done)
  })
  // In a session of its own, so that it is no part of our group any more.
  const child = attempt(() =>
    spawn('/bin/sh', ['-c', 'sleep 20; :', marker], { detached: true, stdio: 'ignore' }),
  )
  if (child)
    await new Promise((resolve) => {
      child.once('spawn', resolve).once('error', resolve)
    })
  return {
    environments: environments.filter((hash) => hash !== undefined),
    read: read.map((file) => hashOf(file) ?? null),
  }
}
